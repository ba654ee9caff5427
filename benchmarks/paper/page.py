from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cases import Case


@dataclass(frozen=True)
class Page:
    r"""The results of an experiment, from which a page is made.

    Args:
        name (str): The name of its files.
        folder (Path): The folder of its files.
        cases (Tuple[Case]): The data that have results.
        systems (Tuple[str]): The titles of the systems.
        rows (List[dict]): For each case, run and system the trial that was
            chosen, with its test accuracy.
    """

    name: str
    folder: Path
    cases: tuple[Case, ...]
    systems: tuple[str, ...]
    rows: list[dict]

    @property
    def by_dataset(self) -> list[list[Case]]:
        r"""The cases of each data set."""
        names = dict.fromkeys(case.dataset for case in self.cases)
        return [[c for c in self.cases if c.dataset == n] for n in names]

    @property
    def several(self) -> bool:
        r"""Whether there is more than one run."""
        return len({row['run'] for row in self.rows}) > 1

    def num_runs(self, cases: Sequence[Case] | None = None) -> str:
        r"""How many runs there are of each system on some data, in words."""
        some = [
            (Case.of(row), row['system'])
            for row in self.rows
            if cases is None or Case.of(row) in cases
        ]
        count = Counter(some).values()
        least, most = min(count), max(count)
        if most == 1:
            return 'one run'
        return f'{most} runs' if least == most else f'{least} to {most} runs'

    def rows_of(self, case: Case, system: str) -> list[dict]:
        return [
            row
            for row in self.rows
            if row['system'] == system and Case.of(row) == case
        ]

    def accuracies(self, case: Case, system: str) -> np.ndarray:
        r"""The test accuracies of all runs, in percent."""
        rows = self.rows_of(case, system)
        return np.array([100 * row['test_acc'] for row in rows])

    def scores(
        self, case: Case, system: str, name: str, factor: float = 1.0
    ) -> dict[int, float]:
        r"""A score of each run that has it, times a factor."""
        return {
            row['run']: factor * row[name]
            for row in self.rows_of(case, system)
            if name in row
        }


def mean_and_std(acc: np.ndarray) -> str:
    r"""The mean and, for several runs, the standard deviation."""
    if acc.size == 1:
        return f'{acc.item():.1f}'
    return f'{acc.mean():.1f} ± {acc.std(ddof=1):.1f}'
