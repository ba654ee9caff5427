from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from table import Table


class Source(ABC):
    r"""A data set: some rows of the accuracy table."""

    #: The name in tables.
    title: ClassVar[str]
    #: The shares of labels; :obj:`None` for a number of its own.
    shares: ClassVar[tuple[float | None, ...]] = (0.01, 0.05, 0.1)
    #: The best published accuracy in %, if the splits are comparable.
    published: ClassVar[float | None] = None

    @abstractmethod
    def load(self) -> Table:
        r"""All rows with their labels. If there is no file of the data, the
        error says how to get it.
        """

    def known(
        self, y: np.ndarray, share: float | None, seed: int
    ) -> np.ndarray:
        r"""A mask of the rows whose labels are given: of each class its share
        of a random sample, at least one.

        Args:
            y (numpy.ndarray): The classes of all rows.
            share (float): The share of labels.
            seed (int): The seed of the sample.
        """
        assert share is not None
        rng = np.random.RandomState(seed)
        out = np.zeros(y.shape, dtype=bool)
        for c in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == c))
            out[rows[: max(1, round(share * rows.size))]] = True
        return out

    def amount(self, share: float | None) -> str:
        r"""The labels of a share, in words."""
        return f'{100 * (share or 0):g} %'
