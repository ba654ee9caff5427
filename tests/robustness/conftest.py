r"""Makes the modules of ``benchmarks/robustness`` importable."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'
for name in ('paper', 'robustness'):
    sys.path.insert(0, str(BENCHMARKS / name))


@pytest.fixture
def page(tmp_path):
    r"""A function that makes a page from accuracies in %: by case, by system,
    a list of runs.
    """
    from page import Page

    def make(accuracies, **scores):
        rows = [
            {
                **vars(case),
                'system': system,
                'run': run,
                'test_acc': acc / 100,
                'seconds': 1.0,
                **(scores if system == 'Recipe: fitted prior' else {}),
            }
            for case, systems in accuracies.items()
            for system, accs in systems.items()
            for run, acc in enumerate(accs)
        ]
        systems = tuple(dict.fromkeys(row['system'] for row in rows))
        return Page('robustness', tmp_path, tuple(accuracies), systems, rows)

    return make
