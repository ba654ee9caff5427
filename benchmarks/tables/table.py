import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Table:
    r"""A data set.

    Args:
        x (numpy.ndarray or scipy.sparse.csr_matrix): The features.
        y (numpy.ndarray): The classes of all rows, counted from zero.
        units (bool, optional): Whether columns have units of their own, so
            that distances and linear models need them standardised.
            (default: :obj:`False`)
    """

    x: Any
    y: np.ndarray
    units: bool = False
    made: dict[str, tuple[Any, float]] = field(default_factory=dict)

    def once(self, name: str, make: Callable[[], Any]) -> tuple[Any, float]:
        r"""What is made from the features, once for all splits, and the
        processor seconds that it took.
        """
        if name not in self.made:
            start = time.process_time()
            value = make()
            self.made[name] = value, time.process_time() - start
        return self.made[name]
