from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn.models.basic_gnn import BasicGNN

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.twins import (
    TWINS,
    twins,
    without_twin,
)
from torch_geometric_vgcn.pairs.pattern import SymmetricPattern
from torch_geometric_vgcn.sample import GraphSample


class SparseMatrix(Route):
    r"""Calls GCN-like convs with a sparse symmetric matrix whose pattern is
    made once: products by compiled kernels instead of a message for each
    edge. Models of PyG's own take all sampled graphs in one call.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        missing = without_twin(conv)
        if missing:
            return (
                f"'conv' ({type(conv).__name__}) contains {missing[0]}, which "
                'has no form for sparse matrices'
            )
        if not kernels_work():
            return 'this PyTorch has no sparse kernels (MKL)'
        return EdgeWeight.refuses(conv)

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        if torch.compiler.is_compiling():
            return EdgeWeight(conv)(conv, x, sample, attributes)
        if len(sample) == 1 or not takes_batches(conv):
            return super().__call__(conv, x, sample, attributes)
        adj = SparseAdjacency(sample, range(len(sample)))
        with twins(conv):
            out = conv(x, adj)
        self.check(conv, out, sample.weight)
        return out

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        with twins(conv):
            return conv(x, SparseAdjacency(sample, [s])), sample.weight


class SparseAdjacency:
    r"""The adjacency matrices of some sampled graphs, for products and row
    sums.

    Args:
        sample (GraphSample): The sampled graphs.
        which (Sequence[int]): Which of them.
    """

    def __init__(self, sample: GraphSample, which: Any) -> None:
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

    def sum(self, dim: int = -1, keepdim: bool = True) -> Tensor:
        return self.degree


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


def takes_batches(conv: Module) -> bool:
    r"""Whether :obj:`conv` is one that takes features :obj:`[S, N, F]`."""
    if isinstance(conv, BasicGNN):
        plain = all(isinstance(m, torch.nn.Identity) for m in conv.norms)
        return plain and conv.jk_mode != 'lstm'
    return type(conv) in TWINS
