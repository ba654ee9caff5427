"""Sparse products that can be differentiated twice, also with respect to the
graph.
"""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.utils import to_torch_csr_tensor


class Product(torch.autograd.Function):
    r"""The product of a constant factor and a dense matrix. Its gradient is
    such a product too, so it can be differentiated again.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: 'Factor') -> Tensor:
        ctx.factor = factor
        return factor.matrix @ x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.factor.transposed(grad), None


class Factor:
    r"""A sparse matrix to multiply with.

    Args:
        matrix (Tensor): The matrix, in compressed rows.
    """

    transposed: 'Factor'

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix

    def __call__(self, x: Tensor) -> Tensor:
        return Product.apply(x, self)


class Features(Factor):
    r"""The node features, as a sparse matrix.

    Args:
        x (Tensor): The features.
    """

    def __init__(self, x: Tensor) -> None:
        super().__init__(x.to_sparse_csr())
        self.transposed = Factor(x.t().to_sparse_csr())
        self.transposed.transposed = self


class RecordedGraph(Factor):
    r"""A symmetric adjacency matrix :math:`\mathbf{A}` that remembers its
    products :math:`\mathbf{Y} = \mathbf{A} \mathbf{X}`, including those of
    backward passes. With the gradients :math:`\overline{\mathbf{Y}}` of a loss
    with respect to them, the gradient for :math:`\mathbf{A}` is the sum of all
    :math:`\overline{\mathbf{Y}} \mathbf{X}^{\top}`: dense, but of low rank.

    Args:
        pairs (Tensor): Each edge once, of shape :obj:`[2, E]`.
        like (Tensor): A matrix with one row per node; the products have its
            type.
    """

    def __init__(self, pairs: Tensor, like: Tensor) -> None:
        num_nodes = like.size(0)
        edge_index = torch.cat([pairs, pairs.flip(0)], dim=1)
        weight = like.new_ones(edge_index.size(1))
        size = (num_nodes, num_nodes)
        super().__init__(to_torch_csr_tensor(edge_index, weight, size))
        ones = like.new_ones(num_nodes, 1)
        degree = (self.matrix @ ones).requires_grad_()
        self.record = [(ones, degree)]
        self.scale = (degree + 1).rsqrt()

    @property
    def transposed(self) -> 'RecordedGraph':  # type: ignore[override]
        return self

    def __call__(self, x: Tensor) -> Tensor:
        y = super().__call__(x)
        if y.requires_grad:
            self.record.append((x.detach(), y))
        return y

    def propagate(self, x: Tensor) -> Tensor:
        r"""The product :math:`\mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I})
        \mathbf{D}^{-1/2} \mathbf{X}` of a GCN's layer.
        """
        x = self.scale * x
        return self.scale * (self(x) + x)


def graph_gradient(
    loss: Tensor, graphs: list[RecordedGraph]
) -> tuple[Tensor, Tensor]:
    r"""The matrices :math:`\mathbf{L}` and :math:`\mathbf{R}` with
    :math:`\mathbf{L} \mathbf{R}^{\top}` the sum of the gradients of
    :obj:`loss` with respect to the adjacency matrices. Their records are
    cleared.
    """
    record = [entry for graph in graphs for entry in graph.record]
    grads = torch.autograd.grad(
        loss, [y for _, y in record], allow_unused=True
    )
    for graph in graphs:
        # Breaks the reference cycle between the graph and its products:
        graph.record.clear()
    used = [place for place, grad in enumerate(grads) if grad is not None]
    left = torch.cat([grads[place] for place in used], dim=1)
    right = torch.cat([record[place][0] for place in used], dim=1)
    return left, right
