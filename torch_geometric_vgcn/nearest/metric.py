from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from torch_geometric_vgcn.utils import SIZE, Instance, check_features, checked
from torch_geometric_vgcn.utils.rows import max_entries


class Scores(NamedTuple):
    r"""How near rows are to each other: the larger the nearer.

    Args:
        block (Callable): The scores of the rows :obj:`start` to :obj:`stop`
            with all rows, of shape :obj:`[B, N]` and in double precision.
        slack (Tensor): How far these may be from the true ones, for each
            row, of shape :obj:`[N, 1]`.
        error (float): The relative error of the final scores.
        again (Callable, optional): The final scores of single pairs.
            (default: :obj:`None`, those of the block)
        unit (float, optional): Smaller scores have the same absolute error.
            (default: :obj:`0.0`)
    """

    block: Callable[[int, int], Tensor]
    slack: Tensor
    error: float
    again: Callable[[Tensor, Tensor], Tensor] | None = None
    unit: float = 0.0


class Metric(ABC):
    r"""What makes two nodes near to each other."""

    @abstractmethod
    def scores(self, x: Tensor) -> Scores:
        r"""The scores of nodes with the features :obj:`x`, dense or CSR and
        in double precision.
        """

    @abstractmethod
    def pynndescent(self) -> dict:
        r"""The same as arguments of :class:`pynndescent.NNDescent`."""

    def __repr__(self) -> str:
        return f'{type(self).__name__}()'


@checked(x=Instance(Tensor), k=SIZE, metric=Instance(Metric))
def check_search(x: Tensor, k: int, metric: Metric) -> int:
    r"""Expects finite real features, and :obj:`k` below the number of nodes:
    returns it.
    """
    if x.dim() != 2 or x.size(1) == 0 or x.is_complex():
        raise ValueError(
            "'x' must be a real matrix of shape [N, F], "
            f'got {x.dtype} of shape {list(x.shape)}'
        )
    check_features(x, x.size(0))
    if k >= x.size(0):
        raise ValueError(
            f"'k' must be below the number of nodes ({x.size(0)}), got {k}"
        )
    return k


def rounding(x: Tensor) -> float:
    r"""The largest relative error of a sum of as many products as a row has
    entries, in whatever order, and of a few steps around it.
    """
    return (max_entries(x) + 8) * torch.finfo(torch.double).eps
