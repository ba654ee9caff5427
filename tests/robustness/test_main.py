import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('matplotlib')

ROOT = Path(__file__).parents[2]


def run(*args):
    return subprocess.run(
        [sys.executable, str(ROOT / 'benchmarks/robustness'), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )


def test_writes_the_page_the_figures_and_the_results(citeseer, tmp_path):
    args = ('--quick', '--only', 'similar', '--datasets', 'CiteSeer')
    args += ('--systems', 'Recipe: given graph', '--runs', 1, '--workers', 1)
    args += ('--trials', tmp_path, '--out', tmp_path / 'out')
    result = run(*args)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'out' / 'robustness.md').read_text()
    assert page in result.stdout
    assert '`python benchmarks/robustness --quick --only similar' in page
    assert '| budget, % of the edges | 0 % | 25 % |' in page
    rows = [
        json.loads(line)
        for line in (tmp_path / 'out' / 'robustness.jsonl').open()
    ]
    assert [row['graph'] for row in rows] == ['true', 'similar_0.25']
    assert all(row['test_acc'] > 0.5 for row in rows)
    name = 'robustness-citeseer-similar-features.png'
    assert (tmp_path / 'out' / name).exists()
    assert len(list((tmp_path / 'graphs').iterdir())) == 1


@pytest.mark.parametrize(
    'args, message',
    [
        (['--first', -1], "'--first' must be at least 0, got -1"),
        (['--only', 'meta', '--datasets', 'Cora'], 'no data of Cora for meta'),
    ],
)
def test_invalid_arguments_are_refused(args, message):
    result = run(*args)
    assert result.returncode != 0
    assert message in result.stderr
