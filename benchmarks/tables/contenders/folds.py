import numpy as np
import torch
from torch import Tensor

#: With so many labels, one part of them is enough to choose by.
MANY = 1000


def folds(
    code: np.ndarray, rng: np.random.RandomState, num_folds: int = 4
) -> list[tuple[Tensor, Tensor]]:
    r"""Splits the labelled rows, for a choice among settings, into rows to
    train with and rows to hold out: all parts in turn, or one if there are
    many labels. Each class has a row to train with in each split; if none has
    another one, there is no split.

    Args:
        code (numpy.ndarray): The classes of all rows, :obj:`-1` if unknown.
        rng (numpy.random.RandomState): The source of randomness.
        num_folds (int, optional): The number of parts.
            (default: :obj:`4`)
    """
    part = np.full(code.shape, -1)
    start = 0
    for c in range(code.max() + 1):
        rows = rng.permutation(np.flatnonzero(code == c))
        # A class's only row is always there to train with:
        if rows.size > 1:
            part[rows] = (start + np.arange(rows.size)) % num_folds
            start += rows.size
    labelled = code >= 0
    out = [
        (_rows(labelled & (part != number)), _rows(part == number))
        for number in range(num_folds)
        if (part == number).any()
    ]
    return out[:1] if labelled.sum() >= MANY else out


def _rows(mask: np.ndarray) -> Tensor:
    return torch.from_numpy(np.flatnonzero(mask))
