from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.stats import binomtest

from torch_geometric_vgcn.analysis import Calibration, calibration


@dataclass(frozen=True)
class HeldOut:
    r"""Labels that a model has not seen, and what it says of them.

    Args:
        label (numpy.ndarray): The classes, of shape :obj:`[m]`.
        prob (numpy.ndarray): The class probabilities, of shape
            :obj:`[m, C]`.
    """

    label: np.ndarray
    prob: np.ndarray

    def __len__(self) -> int:
        return self.label.size

    @property
    def hits(self) -> int:
        return int((self.prob.argmax(axis=1) == self.label).sum())

    @property
    def accuracy(self) -> float:
        return self.hits / len(self)

    @property
    def interval(self) -> tuple[float, float]:
        r"""The 95 % interval of the accuracy."""
        return wilson(self.hits, len(self))

    @property
    def nll(self) -> float:
        r"""The mean negative log-likelihood."""
        own = self.prob[np.arange(len(self)), self.label]
        return float(-np.log(np.maximum(own, 1e-12)).mean())

    @property
    def confusion(self) -> np.ndarray:
        r"""How many labels of each class were predicted as which class."""
        size = self.prob.shape[1]
        count = np.zeros((size, size), dtype=int)
        np.add.at(count, (self.label, self.prob.argmax(axis=1)), 1)
        return count

    @cached_property
    def calibration(self) -> Calibration:
        return calibration(
            torch.from_numpy(self.prob),
            torch.from_numpy(self.label).long(),
            torch.arange(len(self)),
        )


def wilson(hits: int, size: int) -> tuple[float, float]:
    r"""Wilson's 95 % interval of a share."""
    low, high = binomtest(hits, size).proportion_ci(method='wilson')
    return float(low), float(high)
