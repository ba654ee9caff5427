from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear
from torch.utils.weak import WeakTensorKeyDictionary
from torch_geometric.index import index2ptr, ptr2index

from torch_geometric_vgcn.utils.as_csr import as_csr
from torch_geometric_vgcn.utils.compressed_rows import kernels_work
from torch_geometric_vgcn.utils.density import DENSITY
from torch_geometric_vgcn.utils.device import on_host


class SparseFeatures:
    r"""Multiplies node features of mostly zeros (a bag of words) as the sparse
    matrices that they are.

    Dense features on a CPU are compressed when they come for the second time,
    as those of a mini-batch never do. What is remembered of them is used only
    if their product with a random vector is what it was, to the last bit: a
    change by whatever means (NumPy, :obj:`.data`) is noticed, unless it is too
    small to change any product. Inside :meth:`unchanged` this isn't checked.
    """

    def __init__(self) -> None:
        # Of tensors that are still there; hidden layers come and go.
        self._compressed = WeakTensorKeyDictionary()
        self._places: Places | None = None
        self._unchanged: list[Tensor] = []

    @contextmanager
    def unchanged(self, x: Tensor) -> Iterator[None]:
        r"""Promises that :obj:`x` isn't changed inside."""
        self._unchanged.append(x)
        self._compressed.pop(x, None)
        try:
            yield
        finally:
            self._unchanged = [y for y in self._unchanged if y is not x]

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        r"""The product :math:`\mathbf{X} \mathbf{W}^{\top}`."""
        if (
            x.requires_grad
            or x.dim() != 2
            or x.dtype != weight.dtype
            or not kernels_work(x.device, x.dtype)
        ):
            return linear(x, weight)
        matrix = self._compress(x) if x.layout == torch.strided else x
        if matrix is None:
            return linear(x, weight)
        with (
            torch.inference_mode(False),  # what is kept is for training too
            torch.autocast(x.device.type, enabled=False),
        ):
            if matrix.layout != torch.sparse_csr:
                matrix = matrix.to_sparse_csr()
            places = self._places
            if places is None or not places.fit(matrix):
                places = self._places = Places(matrix)
        with torch.autocast(x.device.type, enabled=False):
            return SparseLinear.apply(weight, matrix.values(), places)

    def rows(self, x: Tensor) -> Tensor:
        r"""The features in compressed rows, if that is faster, or as they
        are: the same for each call, as random numbers are drawn for them.
        """
        if x.layout != torch.strided or x.requires_grad or x.dim() != 2:
            return x
        if not kernels_work(x.device, x.dtype):
            return x
        matrix = self._compress(x, at_once=True)
        return x if matrix is None else matrix

    def _compress(self, x: Tensor, at_once: bool = False) -> Tensor | None:
        r"""Dense features in compressed rows, if that is faster."""
        if not on_host(x) or x.is_inference():
            return None
        known = self._compressed.get(x)
        if known is None:
            known = self._compressed[x] = Compressed(x)
            if not at_once:
                return None
        return known.matrix(x, any(y is x for y in self._unchanged))

    def __reduce__(self) -> Any:
        return SparseFeatures, ()  # a copy remembers nothing


class Compressed:
    r"""A dense matrix in compressed rows, as long as it doesn't change.

    Args:
        x (Tensor): The matrix.
    """

    def __init__(self, x: Tensor) -> None:
        # From NumPy, so that it isn't taken for a random number of the model:
        probe = np.random.default_rng(0).standard_normal(x.size(1))
        self.probe = torch.from_numpy(probe).to(x.dtype)
        self.product = torch.mv(x, self.probe)
        self.rows: Tensor | None = None
        self.tried = False

    def matrix(self, x: Tensor, unchanged: bool = False) -> Tensor | None:
        r"""The compressed rows of :obj:`x`, or :obj:`None` if it has too many
        non-zeros.
        """
        with torch.inference_mode(False):
            if self.tried and (unchanged or self.rows is None):
                return self.rows
            product = torch.mv(x, self.probe)
            if not self.tried or not torch.equal(product, self.product):
                self.product, self.tried = product, True
                self.rows = as_csr(x, DENSITY * x.numel())
            return self.rows


class Places:
    r"""Where the non-zeros of a sparse matrix and of its transpose stand.

    Args:
        matrix (Tensor): The matrix, in compressed rows.
    """

    def __init__(self, matrix: Tensor) -> None:
        crow, col = self.source = matrix.crow_indices(), matrix.col_indices()
        num_rows, num_cols = matrix.shape
        self.size = (num_rows, num_cols)
        row = ptr2index(crow, output_size=col.numel())
        self.order = col.argsort(stable=True)
        # Copies, by which a change in place is noticed:
        self.rows = (
            crow.to(torch.int32, copy=True),
            col.to(torch.int32, copy=True),
        )
        sorted_col = col[self.order].long()
        self.cols = (
            index2ptr(sorted_col, num_cols).int(),
            row[self.order].int(),
        )

    def fit(self, matrix: Tensor) -> bool:
        r"""Whether :obj:`matrix` has its non-zeros at the same places."""
        index = matrix.crow_indices(), matrix.col_indices()
        if matrix.shape != self.size or matrix.device != self.order.device:
            return False
        if not on_host(matrix):  # where no step should wait
            return all(
                mine.data_ptr() == other.data_ptr()
                for mine, other in zip(self.source, index, strict=True)
            )
        return all(
            torch.equal(mine, other.int())
            for mine, other in zip(self.rows, index, strict=True)
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
