r"""Makes the modules of ``benchmarks/tables`` importable."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('sklearn')

BENCHMARKS = Path(__file__).parents[2] / 'benchmarks'
for name in ('paper', 'tables'):
    sys.path.insert(0, str(BENCHMARKS / name))


@pytest.fixture
def problem():
    r"""Three blobs of 20 rows, with columns of different units, and the
    labels of every third row.
    """
    from problem import Problem
    from table import Table

    rng = np.random.RandomState(0)
    y = np.arange(60) % 3
    x = rng.randn(60, 4) + 2 * np.eye(3, 4)[y]
    table = Table(x * [1, 10, 100, 1000], y, units=True)
    return Problem.of(table, np.arange(60) // 3 % 3 == 0)


@pytest.fixture
def results():
    r"""A function that makes results from accuracies in %: by cell, by
    system, a list of runs.
    """
    from cell import Cell
    from results import Results

    def make(accuracies):
        rows = [
            {
                'dataset': dataset,
                'share': share,
                'system': system,
                'run': run,
                'test_acc': acc / 100,
                'test_nll': 1 - acc / 100,
                'seconds': 60.0 if system == 'VGCN' else 2.0,
            }
            for (dataset, share), systems in accuracies.items()
            for system, accs in systems.items()
            for run, acc in enumerate(accs)
        ]
        systems = list(dict.fromkeys(row['system'] for row in rows))
        return Results(rows, [Cell(*each) for each in accuracies], systems)

    return make
