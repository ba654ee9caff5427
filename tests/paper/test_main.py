import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*args):
    return subprocess.run(
        [sys.executable, str(ROOT / 'benchmarks/paper'), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )


def test_writes_a_table_a_figure_and_the_results(citeseer, tmp_path):
    pytest.importorskip('matplotlib')
    args = ('--quick', '--only', 'no-graph', '--systems', 'MLP', '--runs', 1)
    args += ('--first', 100, '--workers', 1)
    args += ('--trials', tmp_path, '--out', tmp_path / 'out')
    result = run(*args)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'out' / 'no-graph.md').read_text()
    assert '| system | CiteSeer, no graph |' in page and page in result.stdout
    row = json.loads((tmp_path / 'out' / 'no-graph.jsonl').read_text())
    assert '--only no-graph --runs 1 --first 100`' in page
    assert row['run'] == 100
    assert row['system'] == 'MLP' and 0.5 < row['test_acc'] < 0.8
    assert (tmp_path / 'out' / 'no-graph.png').exists()
    # Of two settings, the one with the better validation accuracy:
    assert row['tried'] == 2
    lines = (tmp_path / 'quick.jsonl').read_text().splitlines()
    best = max(json.loads(line)['val_acc'] for line in lines)
    assert len(lines) == 2 and row['val_acc'] == best


@pytest.mark.parametrize(
    'args, message',
    [
        (['--only', 'nothing'], "invalid choice: 'nothing'"),
        (['--runs', 0], "'--runs' and '--workers' must be at least 1"),
        (['--first', -1], "'--first' must be at least 0, got -1"),
        (
            ['--only', 'reported', '--systems', 'VGCN'],
            "'reported' has no data for VGCN",
        ),
    ],
)
def test_invalid_arguments_are_refused(args, message):
    pytest.importorskip('matplotlib')
    result = run('--quick', *args)
    assert result.returncode != 0
    assert message in result.stderr
