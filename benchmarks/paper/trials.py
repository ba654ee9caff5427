r"""The trials of experiments: each trains a system with one setting. Of
several settings validation accuracy chooses one; scores of test nodes are
recorded when a system has finished, and choose nothing.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.paper.cases import Case
from benchmarks.paper.scores import scores
from benchmarks.paper.systems import SYSTEMS, blind

#: What identifies a trial.
FIELDS = ('dataset', 'graph', 'split', 'run', 'system', 'settings')


@dataclass(frozen=True)
class Trial:
    case: Case
    run: int
    system: str
    settings: Mapping[str, Any]

    @property
    def key(self) -> dict[str, Any]:
        return {
            **asdict(self.case),
            'run': self.run,
            'system': self.system,
            'settings': dict(self.settings),
        }

    def train(self) -> dict[str, Any]:
        r"""Returns the line: the key, the validation accuracy, and scores of
        test nodes, none of whose labels the system sees.
        """
        start = time.process_time()
        data = self.case.load(self.run)
        system = SYSTEMS[self.system]
        outcome = system.train(blind(data), self.run, **self.settings)
        seconds = time.process_time() - start
        return {
            **self.key,
            'val_acc': outcome.val_acc,
            'epoch': outcome.epoch,
            'seconds': round(seconds, 1),
            **scores(self.case, self.run, data, outcome),
        }


def select(rows: list[dict]) -> list[dict]:
    r"""For each case, run and system the line with the best validation
    accuracy, and how many were tried.
    """
    groups = defaultdict(list)
    for row in rows:
        groups[Case.of(row), row['run'], row['system']].append(row)
    return [
        {'tried': len(each), **max(each, key=lambda row: row['val_acc'])}
        for each in groups.values()
    ]
