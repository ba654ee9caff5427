from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import (
    VECTOR,
    SparseFeatures,
    symmetric_csr,
)


class SymmetricMatrix:
    r"""The symmetric adjacency matrices :math:`\mathbf{A}^{(s)}` of some
    sampled graphs, which know products and row sums, and nothing else that a
    tensor of edges would.

    Args:
        sample (GraphSample): The sampled graphs.
        which (int or slice): Which of them: one, or several at once.
        features (SparseFeatures): What is known of the node features.
    """

    def __init__(
        self, sample: GraphSample, which: int | slice, features: SparseFeatures
    ) -> None:
        self.single = isinstance(which, int)
        if isinstance(which, int):
            which = slice(which, which + 1)
        self.num_nodes = sample.prior.num_nodes
        self.num_graphs = len(sample.weight[which])
        self.features = features
        self.weight = sample.weight[which]
        self.pattern = sample.prior.pairs.pattern
        self.entries = self.pattern.entries(self.weight.detach())
        self.background: Tensor | None = None
        if sample.background is not None:
            index = sample.background.index[:, which]
            # The graphs one after another:
            shift = torch.arange(index.size(1), device=index.device)
            index = (index + self.num_nodes * shift.view(-1, 1)).flatten(1)
            weight = sample.background.weight[which].flatten()
            size = self.num_nodes * len(self.weight)
            self.background = symmetric_csr(index, weight, size)
        one = self.weight.new_ones(len(self.weight), self.num_nodes, 1)
        self.degree = self.product(one)

    def __matmul__(self, x: Tensor) -> Tensor:
        r"""The products :math:`\mathbf{A} \mathbf{X}` with features
        :obj:`[N, d]`, or :obj:`[S, N, d]` for each graph its own.
        """
        return self._apply(Product, x)

    def normalized(self, x: Tensor) -> Tensor:
        r"""The products with the matrices normalised as in GCN, with
        self-loops.
        """
        return self._apply(NormalizedProduct, x)

    def _apply(
        self, function: type[torch.autograd.Function], x: Tensor
    ) -> Tensor:
        # Autocast may have made the features narrower than the weights:
        h = x.to(self.weight.dtype)
        out = function.apply(self.weight, h, self)
        return (out.squeeze(0) if self.single else out).to(x.dtype)

    def for_each(self, x: Tensor) -> Tensor:
        r"""Features for each graph, of shape :obj:`[S, N, d]`."""
        return x.expand(len(self.weight), -1, -1).contiguous()

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The gradient of the weights."""
        with torch.autocast(left.device.type, enabled=False):
            return self.pattern.dot(left, right)

    def product(self, x: Tensor) -> Tensor:
        r"""The products themselves, without a gradient."""
        with torch.autocast(x.device.type, enabled=False):
            out = self.pattern.product(self.entries, x)
            if self.background is not None:
                flat = out.flatten(0, 1)
                torch.addmm(flat, self.background, x.flatten(0, 1), out=flat)
        return out


class Product(torch.autograd.Function):
    r"""The products :math:`\mathbf{A} \mathbf{X}`. Their gradients are
    :math:`\mathbf{A} \mathbf{G}` and, for a pair's weight,
    :math:`\mathbf{g}_i^{\top} \mathbf{x}_j + \mathbf{g}_j^{\top}
    \mathbf{x}_i`.
    """

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, x: Tensor, adj: SymmetricMatrix
    ) -> Tensor:
        ctx.save_for_backward(x)
        ctx.adj = adj
        return adj.product(adj.for_each(x))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        adj = ctx.adj
        grad = adj.for_each(grad)
        needs_weight, needs_x, _ = ctx.needs_input_grad
        return (
            adj.dot(grad, adj.for_each(x)) if needs_weight else None,
            adj.product(grad).sum_to_size(x.shape) if needs_x else None,
            None,
        )


class NormalizedProduct(torch.autograd.Function):
    r"""The products :math:`\mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I})
    \mathbf{D}^{-1/2} \mathbf{X}`, where :math:`\mathbf{D}` are the row sums
    of the middle matrix. A pair's weight has a gradient through the product
    and one through both of its nodes' sums.
    """

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, x: Tensor, adj: SymmetricMatrix
    ) -> Tensor:
        scale = (adj.degree + 1).rsqrt_()
        scaled = scale * x
        total = adj.product(scaled).add_(scaled)
        ctx.save_for_backward(x, scale, total)
        ctx.adj = adj
        return scale * total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, scale, total = ctx.saved_tensors
        adj, needs_weight = ctx.adj, ctx.needs_input_grad[0]
        # Beside the columns of the product, one for the sums of rows:
        width = grad.size(-1)
        size = (*grad.shape[:-1], width + VECTOR - width % VECTOR)
        left, right = grad.new_empty(size), grad.new_empty(size)
        grad_total = torch.mul(scale, grad, out=left[..., :width])
        grad_scaled = adj.product(grad_total).add_(grad_total)
        grad_weight = None
        if needs_weight:
            grad_scale = (grad * total).addcmul_(grad_scaled, x)
            # scale = degree^(-1/2)
            grad_scale = grad_scale.sum(dim=-1, keepdim=True)
            left[..., width:] = grad_scale * scale.pow(3) / -2
            torch.mul(scale, x, out=right[..., :width])
            right[..., width] = 1.0
            right[..., width + 1 :] = 0.0  # only fills up
            grad_weight = adj.dot(left, right)
        grad_x = grad_scaled.mul_(scale).sum_to_size(x.shape)
        return grad_weight, grad_x, None
