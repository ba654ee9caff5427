from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear
from torch_geometric.index import index2ptr, ptr2index

from torch_geometric_vgcn.utils.constraints import (
    SHARE,
    check_kind,
    checked,
)
from torch_geometric_vgcn.utils.csr import (
    DENSITY,
    as_csr,
    csr_matrix,
    kernels_work,
    with_values,
)
from torch_geometric_vgcn.utils.device import on_host

# Dense features that are promised not to change, each with what it was
# converted to:
_converted: dict[object, tuple[Tensor, Tensor]] = {}


@contextmanager
def unchanged(x: Tensor) -> Iterator[None]:
    r"""Promises that :obj:`x` isn't changed inside. Dense features on a CPU
    are converted to compressed rows once, if they are mostly zeros.
    """
    found = None
    if x.layout == torch.strided and x.dim() == 2 and on_host(x):
        with torch.inference_mode(False):
            found = as_csr(x, DENSITY * x.numel())
    if found is None or x.requires_grad:
        yield
        return
    promise = object()
    _converted[promise] = x, found
    try:
        yield
    finally:
        del _converted[promise]


def fastest(x: Tensor) -> Tensor:
    r"""Features in compressed rows if they were converted, or as they are."""
    known = tuple(_converted.values())
    return next((rows for y, rows in known if y is x), x)


class SparseFeatures:
    r"""Multiplies node features of mostly zeros (a bag of words) by weights,
    if they are sparse, or dense and :func:`unchanged`.
    """

    def __init__(self) -> None:
        self._places: Places | None = None

    def linear(self, x: Tensor, weight: Tensor) -> Tensor:
        r"""The product :math:`\mathbf{X} \mathbf{W}^{\top}`."""
        x = fastest(x)
        if (
            x.layout == torch.strided
            or x.requires_grad
            or x.dtype != weight.dtype
            or not kernels_work(x.device, x.dtype)
        ):
            return linear(x, weight)
        with torch.autocast(x.device.type, enabled=False):
            with torch.inference_mode(False):  # kept, so for training too
                x = x if x.layout == torch.sparse_csr else x.to_sparse_csr()
                places = self._places
                if places is None or not places.fit(x):
                    places = self._places = Places(x)
            return SparseLinear.apply(weight, x.values(), places)

    def __reduce__(self) -> Any:
        return SparseFeatures, ()  # a copy remembers nothing


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
        return csr_matrix(*places.rows, value, places.size) @ weight.t()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        (value,) = ctx.saved_tensors
        places = ctx.places
        transpose = csr_matrix(
            places.cols[0],
            places.cols[1],
            value[places.order],
            places.size[::-1],
        )
        return (transpose @ grad.contiguous()).t(), None, None


class SparseDropout(torch.nn.Dropout):
    r"""Dropout for node features that may be sparse, for use in a model before
    its first conv: their non-zeros are dropped, and they stay sparse.
    :func:`torch.nn.functional.dropout` refuses sparse tensors.

    Args:
        p (float, optional): The share to drop. (default: :obj:`0.5`)
    """

    @checked(p=SHARE)
    def __init__(self, p: float = 0.5) -> None:
        super().__init__(p)

    def forward(self, x: Tensor) -> Tensor:
        check_kind(x, Tensor, 'x')
        if not x.is_floating_point():
            raise TypeError(f"'x' must be floating point, got {x.dtype}")
        if x.layout == torch.strided:
            return super().forward(x)
        if x.layout != torch.sparse_csr:
            x = x.to_sparse_csr()
        return with_values(x, super().forward(x.values()))
