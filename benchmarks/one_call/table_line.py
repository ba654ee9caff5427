from functools import cache
from pathlib import Path
from typing import Any

from cell import Cell
from contenders import CONTENDERS
from control import CONTROL
from graph_trial import ESTIMATOR, ONE_CALL, RowTrial
from json_lines import JsonLines
from table_trial import FIELDS, TableTrial
from verdict import OURS

RESULTS = Path(__file__).parents[2] / 'docs' / 'results'
LINES = JsonLines(RESULTS / 'tables.jsonl', FIELDS)
#: The systems, and what the lines of ``benchmarks/tables`` call them.
SYSTEMS = {ONE_CALL: OURS, ESTIMATOR: OURS} | {
    name: name for name in CONTENDERS if name not in (OURS, CONTROL)
}


class TableLine(RowTrial):
    r"""A system on a table with some labels missing. All but the one call
    were trained by ``benchmarks/tables``, whose lines are taken over.
    """

    row: Cell

    def train(self) -> dict[str, Any]:
        trial = TableTrial(self.row, self.run, SYSTEMS[self.system])
        if self.system == ONE_CALL:
            line = trial.train()
        else:
            line = lines().get(LINES.name_of(trial.key), {})
        if 'test_acc' not in line:
            raise ValueError(f'{LINES.path} has no scores of {trial.key}')
        scores = ('test_acc', 'test_nll', 'test_ece', 'seconds')
        return self.key | {name: line[name] for name in scores if name in line}


@cache
def lines() -> dict[str, dict]:
    return LINES.read()
