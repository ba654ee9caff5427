import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from data_sets import DATASETS

ROOT = Path(__file__).parents[2]
SYSTEMS = ('one call', 'MLP', 'GCN', 'LogisticRegression')


def test_graphs_and_tables_are_one_page(tmp_path):
    try:
        DATASETS['Texas'].load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    args = ('--quick', '--first', 100, '--runs', 1, '--workers', 1)
    args += ('--only', 'Texas', 'Wine', '--systems', *SYSTEMS)
    args += ('--trials', tmp_path, '--out', tmp_path)
    result = subprocess.run(
        [sys.executable, str(ROOT / 'benchmarks/one_call'), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'one-call-quick.md').read_text()
    assert page in result.stdout + '\n'
    assert '| data, labels | runs | one call | MLP | GCN |' in page
    assert '| data, labels | runs | one call | LogisticRegression |' in page
    file = tmp_path / 'one-call-quick.jsonl'
    rows = [json.loads(line) for line in file.open()]
    assert [(row['row'].split(',')[0], row['system']) for row in rows] == [
        *(('Texas', name) for name in SYSTEMS[:3]),
        *(('Wine', name) for name in ('one call', 'LogisticRegression')),
    ]
    # What benchmarks/tables has trained isn't trained again:
    lines = (ROOT / 'docs/results/tables.jsonl').open()
    (line,) = (
        row
        for row in map(json.loads, lines)
        if (row['dataset'], row['run'], row['system'])
        == ('Wine', 100, 'LogisticRegression')
    )
    assert rows[-1]['test_acc'] == line['test_acc']
    assert all(0 <= row['test_ece'] < 0.5 for row in rows[:-1])
