from abc import ABC, abstractmethod

import torch
from torch import Tensor

from torch_geometric_vgcn.utils import SIZE, Instance, check_features, checked


class Scores(ABC):
    r"""How near the nodes are to each other: the larger the nearer.

    A block of scores is computed fast, with rounding errors that depend on
    the block. Where they could matter, the pairs in question are computed
    again, each by itself.
    """

    @abstractmethod
    def block(self, start: int, stop: int) -> Tensor:
        r"""How near all nodes are, seen from the nodes :obj:`start` to
        :obj:`stop`: :obj:`[N, stop - start]`.
        """

    @abstractmethod
    def slack(self, start: int, score: Tensor) -> Tensor:
        r"""How far a fast score of about :obj:`score` may be from the true
        one, for one score of each node from :obj:`start` on.
        """

    @abstractmethod
    def again(self, node: Tensor, other: Tensor, score: Tensor) -> Tensor:
        r"""The scores of single pairs in double precision, whatever block
        they are in. They only have to be comparable for the same
        :obj:`node`. :obj:`score` holds the fast ones.
        """


class Metric(ABC):
    r"""What makes two nodes near to each other."""

    @abstractmethod
    def scores(self, x: Tensor) -> Scores:
        r"""The scores of nodes with the features :obj:`x` (dense or CSR)."""

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


def coarse(score: Tensor) -> Tensor:
    r"""Rounds to 40 binary digits, so that what differs by rounding errors of
    double precision only becomes equal.
    """
    mantissa, exponent = torch.frexp(score)
    return torch.ldexp((mantissa * 2.0**40).round(), exponent - 40)


def rounding(dtype: torch.dtype, terms: int) -> float:
    r"""The largest relative error of a sum of so many products, in whatever
    order, with the few steps around it and with :meth:`coarse`.
    """
    return (terms + 8) * torch.finfo(dtype).eps / 2 + 2.0**-40
