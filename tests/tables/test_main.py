import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*args):
    return subprocess.run(
        [sys.executable, str(ROOT / 'benchmarks/tables'), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )


def test_writes_the_page_and_the_results(tmp_path):
    args = ('--only', 'Wine', '--systems', 'KNeighbors', 'LogisticRegression')
    args += ('--runs', 2, '--first', 100, '--workers', 1)
    args += ('--trials', tmp_path, '--out', tmp_path / 'out')
    result = run(*args)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / 'out' / 'tables.md').read_text()
    assert page in result.stdout
    assert '`python benchmarks/tables --first 100 --runs 2`' in page
    head = '| data, labels | runs | LogisticRegression | KNeighbors | publ'
    assert head in page
    rows = [
        json.loads(line) for line in (tmp_path / 'out' / 'tables.jsonl').open()
    ]
    assert [row['run'] for row in rows] == [100, 100, 101, 101]
    assert all(row['test_acc'] > 0.8 for row in rows)


def test_unknown_data_are_refused():
    result = run('--only', 'nothing')
    assert result.returncode != 0
    assert "invalid choice: 'nothing'" in result.stderr
