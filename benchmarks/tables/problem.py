from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.preprocessing import StandardScaler
from table import Table


@dataclass
class Problem:
    r"""What all systems see: the features of all rows, and some labels.

    Args:
        table (Table): The data set, of whose labels nothing else is looked
            at.
        y (numpy.ndarray): The classes, :obj:`-1` where not known.
        shared (Dict[str, float]): What earlier splits have made of the
            features and this one uses too, with its processor seconds.
    """

    table: Table
    y: np.ndarray
    shared: dict[str, float] = field(default_factory=dict)
    _own: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, table: Table, known: np.ndarray) -> 'Problem':
        return cls(table, np.where(known, table.y, -1))

    @property
    def hidden(self) -> np.ndarray:
        r"""The rows without a label, which are to be predicted."""
        return np.flatnonzero(self.y < 0)

    @property
    def features(self) -> Any:
        r"""The features for distances and linear models."""
        if not self.table.units:
            return self.table.x
        return self.once(
            'standardised',
            lambda: StandardScaler().fit_transform(self.table.x),
        )

    @property
    def metric(self) -> str:
        r"""The distance between rows. Of sparse rows of norm one, neighbours
        by cosine are those by distance, and found faster.
        """
        sparse = scipy.sparse.issparse(self.table.x)
        return 'cosine' if sparse else 'euclidean'

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        r"""What is made for all splits together, at the expense of each."""
        if name not in self.table.made:
            self._own.add(name)
        value, seconds = self.table.once(name, make)
        if name not in self._own:
            self.shared[name] = seconds
        return value
