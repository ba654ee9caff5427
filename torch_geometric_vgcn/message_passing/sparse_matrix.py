from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.message_passing.matrix import (
    MatrixRoute,
    takes_batches,
)
from torch_geometric_vgcn.message_passing.twins import twins
from torch_geometric_vgcn.pairs.pattern import SymmetricPattern
from torch_geometric_vgcn.sample import GraphSample


class SparseMatrix(MatrixRoute):
    r"""Calls GCN-like convs with a sparse symmetric matrix whose pattern is
    made once: products by compiled kernels instead of a message for each
    edge. Models of PyG's own take all sampled graphs in one call.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        if not kernels_work():
            return 'this PyTorch has no sparse kernels (MKL)'
        return MatrixRoute.refuses(conv)

    def adjacency(
        self, sample: GraphSample, which: Sequence[int]
    ) -> 'SparseProducts':
        return SparseProducts(sample, which)

    def through(self, conv: Module, x: Tensor, sample: GraphSample) -> Tensor:
        if len(sample) == 1 or not takes_batches(conv):
            return super().through(conv, x, sample)
        with twins(conv):
            out = conv(x, self.adjacency(sample, range(len(sample))))
        self.check(conv, out, sample.weight)
        return out


class SparseProducts:
    r"""The adjacency matrices of some sampled graphs, for products and row
    sums.

    Args:
        sample (GraphSample): The sampled graphs.
        which (Sequence[int]): Which of them.
    """

    def __init__(self, sample: GraphSample, which: Sequence[int]) -> None:
        self.pattern = sample.prior.pairs.pattern
        self.weight = [sample.weight[s] for s in which]
        self.entry = [
            weight.detach().index_select(0, self.pattern.pair)
            for weight in self.weight
        ]
        self.background = []
        if sample.background:
            for s in which:
                edges = sample.background[s]
                row, col = torch.cat([edges.index, edges.index.flip(0)], 1)
                weight = edges.weight.repeat(2).unsqueeze(-1)
                self.background.append((row, col, weight))
        self.degree = self._degree(sample.prior.pairs.index)

    def __matmul__(self, x: Tensor) -> Tensor:
        batched = x.dim() > 2
        outs = []
        for s, weight in enumerate(self.weight):
            # Autocast may have made the features narrower than the weights:
            h = (x[s] if batched else x).to(weight.dtype)
            with torch.autocast(h.device.type, enabled=False):
                out = SymmetricProduct.apply(
                    weight, self.entry[s], h, self.pattern
                )
            if self.background:
                row, col, value = self.background[s]
                out = out.index_add(0, row, value * h[col])
            outs.append(out.to(x.dtype))
        if len(outs) == 1 and not batched:
            return outs[0]
        return torch.stack(outs)

    def _degree(self, index: Tensor) -> Tensor:
        degrees = []
        for s, weight in enumerate(self.weight):
            degree = weight.new_zeros(self.pattern.size[0])
            degree = degree.index_add(0, index[0], weight)
            degree = degree.index_add(0, index[1], weight)
            if self.background:
                row, _, value = self.background[s]
                degree = degree.index_add(0, row, value.view(-1))
            degrees.append(degree.unsqueeze(-1))
        return degrees[0] if len(degrees) == 1 else torch.stack(degrees)


class SymmetricProduct(torch.autograd.Function):
    r"""The product :math:`\mathbf{A} \mathbf{X}` with a symmetric sparse
    matrix, of one weight a pair, which its entries repeat. Its gradients are
    :math:`\mathbf{A} \mathbf{G}` and, at the pattern's entries,
    :math:`\mathbf{G} \mathbf{X}^{\top}`.
    """

    @staticmethod
    def forward(
        ctx: Any,
        weight: Tensor,
        entry: Tensor,
        x: Tensor,
        pattern: SymmetricPattern,
    ) -> Tensor:
        ctx.pattern = pattern
        ctx.save_for_backward(entry, x)
        return pattern.matrix(entry) @ x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        entry, x = ctx.saved_tensors
        pattern, grad = ctx.pattern, grad.contiguous()
        grad_weight = grad_x = None
        if ctx.needs_input_grad[0]:
            grad_weight = pattern.dot(grad, x)
        if ctx.needs_input_grad[2]:
            grad_x = pattern.matrix(entry) @ grad
        return grad_weight, None, grad_x, None


@lru_cache(maxsize=1)
def kernels_work() -> bool:
    r"""Whether this PyTorch has the sparse kernels: not all builds do."""
    try:
        pattern = SymmetricPattern(torch.tensor([[0], [1]]), 2)
        weight = torch.ones(1, requires_grad=True)
        x = torch.eye(2, requires_grad=True)
        entry = torch.ones(2)
        SymmetricProduct.apply(weight, entry, x, pattern).sum().backward()
    except RuntimeError:
        return False
    return True
