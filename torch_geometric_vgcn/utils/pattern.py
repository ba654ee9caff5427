from abc import ABC, abstractmethod
from typing import Any

from torch import Tensor


class Pattern(ABC):
    r"""Where the weights of pairs stand in the symmetric matrices
    :math:`\mathbf{A}^{(1)}, \ldots, \mathbf{A}^{(S)}` of several graphs, with
    the products that a conv and its gradients need.
    """

    @abstractmethod
    def entries(self, weight: Tensor) -> Any:
        r"""Lays out the weights :obj:`[S, P]` for :meth:`product`."""

    @abstractmethod
    def product(self, entries: Any, x: Tensor) -> Tensor:
        r"""The products :math:`\mathbf{A}^{(s)} \mathbf{X}^{(s)}`, of shape
        :obj:`[S, N, d]`.
        """

    @abstractmethod
    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The gradients of weights, :math:`\mathbf{l}_i^{\top} \mathbf{r}_j +
        \mathbf{l}_j^{\top} \mathbf{r}_i` for each pair, of shape
        :obj:`[S, P]`, from :obj:`[S, N, d]`.
        """
