import json

from cell import Cell
from contenders import CONTENDERS
from json_lines import JsonLines
from table_trial import FIELDS, TableTrial


def test_a_trial_is_one_line():
    row = TableTrial(Cell('Wine'), 100, 'KNeighbors').train()
    assert json.loads(json.dumps(row)) == row
    assert row['labels'] == 30 and row['share'] is None
    assert 0.85 < row['test_acc'] <= 1 and row['test_nll'] > 0
    assert len(row['tried']) == 5 and row['seconds'] > 0


def test_memory_that_runs_out_is_a_result(monkeypatch):
    def solve(problem, seed):
        raise MemoryError

    monkeypatch.setattr(CONTENDERS['KNeighbors'], 'solve', solve)
    row = TableTrial(Cell('Wine'), 100, 'KNeighbors').train()
    assert row['failed'] == 'out of memory' and 'test_acc' not in row


def test_a_run_resumes_where_it_stopped(tmp_path):
    lines = JsonLines(tmp_path / 'trials.jsonl', FIELDS)
    trials = [TableTrial(Cell('Wine'), run, 'KNeighbors') for run in (0, 1)]
    lines.run(trials[:1], workers=1)
    first = lines.path.read_text()
    lines.run(trials, workers=1)
    assert lines.path.read_text().startswith(first)
    assert [row['run'] for row in lines.read().values()] == [0, 1]
