import time
import warnings
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from benchmarks.tables.contenders import CONTENDERS
from benchmarks.tables.data import Cell
from benchmarks.tables.tuned import scores

#: What identifies a trial.
FIELDS = ('dataset', 'share', 'run', 'system')


@dataclass(frozen=True)
class TableTrial:
    r"""A system, tuned and trained with the labels of one split."""

    cell: Cell
    run: int
    system: str

    @property
    def key(self) -> dict[str, Any]:
        return {**asdict(self.cell), 'run': self.run, 'system': self.system}

    def train(self) -> dict[str, Any]:
        r"""Returns the line. The seconds are those of the processor, for
        tuning and training, without loading the data. If memory ran out, the
        line has the reason instead of scores.
        """
        warnings.filterwarnings('ignore', category=ConvergenceWarning)
        problem = self.cell.problem(self.run)
        start = time.process_time()
        try:
            outcome = CONTENDERS[self.system].solve(problem, self.run)
        except MemoryError:
            seconds = time.process_time() - start
            reason = {'failed': 'out of memory', 'seconds': round(seconds, 2)}
            return {**self.key, **reason}
        seconds = time.process_time() - start
        truth = problem.table.y[problem.hidden]
        return {
            **self.key,
            'labels': int(problem.y.size - truth.size),
            'choice': outcome.choice,
            **scores(outcome.prob, truth),
            'seconds': round(seconds, 2),
            'tried': outcome.tried,
        }
