from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear
from torch.utils.weak import WeakTensorKeyDictionary
from torch_geometric.index import index2ptr, ptr2index

from torch_geometric_vgcn.kernels.compressed_rows import kernels_work

DENSITY = 0.1  # share of non-zeros below which sparse products are faster


class Features:
    r"""Multiplies node features of mostly zeros (a bag of words) as the sparse
    matrices that they are, and remembers where their non-zeros stand.

    Dense features are looked at when they come for the second time, as those
    of a mini-batch never do.
    """

    def __init__(self) -> None:
        # Of tensors that are still there; hidden layers come and go.
        self._version = WeakTensorKeyDictionary()
        self._matrix = WeakTensorKeyDictionary()
        self._places: Places | None = None

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        r"""The product :math:`\mathbf{X} \mathbf{W}^{\top}`."""
        if x.requires_grad or x.dim() != 2 or not kernels_work():
            return linear(x, weight)
        matrix = x if x.layout == torch.sparse_csr else self._compress(x)
        if matrix is None:
            return linear(x, weight)
        if self._places is None or not self._places.fit(matrix):
            self._places = Places(matrix)
        with torch.autocast(x.device.type, enabled=False):
            return SparseLinear.apply(weight, matrix.values(), self._places)

    def _compress(self, x: Tensor) -> Tensor | None:
        r"""The features in compressed rows, if that is faster."""
        if x.is_inference():
            return None
        if self._version.get(x) != x._version:
            self._version[x] = x._version
            self._matrix.pop(x, None)
            if x.layout == torch.strided:
                return None
        if x not in self._matrix:
            few = x.layout != torch.strided or (
                int(x.count_nonzero()) < DENSITY * x.numel()
            )
            self._matrix[x] = x.to_sparse_csr() if few else None
        return self._matrix[x]

    def __reduce__(self) -> Any:
        return Features, ()  # a copy remembers nothing


class Places:
    r"""Where the non-zeros of a sparse matrix and of its transpose stand.

    Args:
        matrix (Tensor): The matrix, in compressed rows.
    """

    def __init__(self, matrix: Tensor) -> None:
        self.source = matrix.crow_indices(), matrix.col_indices()
        crow, col = self.source
        num_rows, num_cols = matrix.shape
        self.size = (num_rows, num_cols)
        row = ptr2index(crow, output_size=col.numel())
        self.order = col.argsort(stable=True)
        self.rows = crow.int(), col.int()
        sorted_col = col[self.order].long()
        self.cols = (
            index2ptr(sorted_col, num_cols).int(),
            row[self.order].int(),
        )

    def fit(self, matrix: Tensor) -> bool:
        r"""Whether :obj:`matrix` has its non-zeros at the same places."""
        crow, col = matrix.crow_indices(), matrix.col_indices()
        return matrix.shape == self.size and all(
            mine.data_ptr() == other.data_ptr()
            for mine, other in zip(self.source, (crow, col), strict=True)
        )

    def matrix(self, value: Tensor) -> Tensor:
        return torch.sparse_csr_tensor(
            *self.rows, value, self.size, check_invariants=False
        )

    def transpose(self, value: Tensor) -> Tensor:
        return torch.sparse_csr_tensor(
            *self.cols,
            value[self.order],
            self.size[::-1],
            check_invariants=False,
        )


class SparseLinear(torch.autograd.Function):
    r"""The product :math:`\mathbf{X} \mathbf{W}^{\top}` with sparse
    features, whose gradient :math:`\mathbf{G}^{\top} \mathbf{X}` needs no
    transposing of them.
    """

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, value: Tensor, places: Places
    ) -> Tensor:
        ctx.save_for_backward(value)
        ctx.places = places
        return places.matrix(value) @ weight.t()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        (value,) = ctx.saved_tensors
        grad_weight = ctx.places.transpose(value) @ grad.contiguous()
        return grad_weight.t(), None, None
