r"""What a benchmark of tables is about: a data set with some labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from benchmarks.tables.sources import SOURCES, Table

#: The most nearest rows that any system looks at.
NEIGHBORS = 20
#: The number of features that sparse ones are reduced to for trees.
WIDTH = 100


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

    def problem(self, run: int) -> 'Problem':
        table = load(self.dataset)
        known = SOURCES[self.dataset].known(table.y, self.share, run)
        return Problem(table, np.where(known, table.y, -1))

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


@dataclass
class Problem:
    r"""What all systems see: the features of all rows, and some labels.

    Args:
        table (Table): The data set, of whose labels nothing else is looked
            at.
        y (numpy.ndarray): The classes, :obj:`-1` where not known.
    """

    table: Table
    y: np.ndarray

    @property
    def hidden(self) -> np.ndarray:
        r"""The rows without a label, which are to be predicted."""
        return np.flatnonzero(self.y < 0)

    @cached_property
    def features(self) -> Any:
        r"""The features for distances and linear models."""
        if not self.table.units:
            return self.table.x
        return StandardScaler().fit_transform(self.table.x)

    @cached_property
    def dense(self) -> np.ndarray:
        r"""The features for trees."""
        x = self.table.x
        if not scipy.sparse.issparse(x):
            return x
        return TruncatedSVD(WIDTH, random_state=0).fit_transform(x)

    @property
    def metric(self) -> str:
        r"""The distance between rows. Of sparse rows of norm one, neighbours
        by cosine are those by distance, and found faster.
        """
        sparse = scipy.sparse.issparse(self.table.x)
        return 'cosine' if sparse else 'euclidean'

    @cached_property
    def nearest(self) -> np.ndarray:
        r"""The nearest rows of each row, of which each is its own first."""
        x = self.features
        model = NearestNeighbors(
            n_neighbors=min(NEIGHBORS, x.shape[0]), metric=self.metric
        )
        return model.fit(x).kneighbors(x, return_distance=False)
