from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from problem import Problem
from sources import SOURCES
from table import Table


@dataclass(frozen=True)
class Cell:
    r"""A data set with a share of labels. The number of the run selects which
    labels are known.

    Args:
        dataset (str): The title of one of the data sets.
        share (float, optional): The share of labels, or :obj:`None` for the
            number that the data set is known for. (default: :obj:`None`)
    """

    dataset: str
    share: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> 'Cell':
        r"""The cell of a trial's line."""
        return cls(row['dataset'], row['share'])

    def problem(self, run: int) -> Problem:
        table = load(self.dataset)
        known = SOURCES[self.dataset].known(table.y, self.share, run)
        return Problem.of(table, known)

    def __str__(self) -> str:
        return f'{self.dataset}, {SOURCES[self.dataset].amount(self.share)}'


@lru_cache(maxsize=1)  # trials are in the order of data sets
def load(dataset: str) -> Table:
    return SOURCES[dataset].load()


def cells(datasets: list[str]) -> list[Cell]:
    r"""All cells of some data sets."""
    return [
        Cell(name, share)
        for name in datasets
        for share in SOURCES[name].shares
    ]


def available(only: list[str] | None) -> list[str]:
    r"""The data sets that can be loaded. Without one that is asked for, the
    program ends.
    """
    out = []
    for name in only or SOURCES:
        try:
            load(name)
        except FileNotFoundError as error:
            if only:
                raise SystemExit(f'{name}: {error}') from error
            print(f'Left out: {name}: {error}')
        else:
            out.append(name)
    return out
