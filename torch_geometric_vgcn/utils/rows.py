r"""Feature matrices, dense or in compressed rows (CSR)."""

from collections.abc import Callable

import torch
from torch import Tensor

from torch_geometric_vgcn.utils.csr import (
    DENSITY,
    as_csr,
    kernels_work,
    with_values,
)
from torch_geometric_vgcn.utils.index import entries_of, find

#: How many entries are looked up at once.
CHUNK = 2**22


def fastest_layout(x: Tensor) -> Tensor:
    r"""Features as a dense or a CSR matrix, whichever is multiplied faster.
    On other devices than CPUs, dense ones stay dense and sparse ones sparse.
    """
    # Without sparse kernels (MKL), everything is dense. The products here are
    # sums of rows, which pay for twice as many non-zeros:
    share = 2 * DENSITY if kernels_work(x.device, x.dtype) else -1
    most = share * x.numel()
    if x.layout == torch.strided:
        rows = as_csr(x, most) if x.device.type == 'cpu' else None
        return x if rows is None else rows
    x = x if x.layout == torch.sparse_csr else x.to_sparse_csr()
    many = x.device.type == 'cpu' and x.values().numel() > most
    return x.to_dense() if many else x


def values(x: Tensor) -> Tensor:
    r"""All entries, or those that a CSR matrix holds."""
    return x if x.layout == torch.strided else x.values()


def entry_row(x: Tensor) -> Tensor:
    r"""The row of each entry that a CSR matrix holds."""
    row = torch.arange(x.size(0), device=x.device)
    return row.repeat_interleave(x.crow_indices().diff())


def max_entries(x: Tensor) -> int:
    r"""An upper bound of how many entries of a row aren't zero."""
    if x.layout == torch.strided:
        return x.size(1)
    return int(x.crow_indices().diff().amax())


def row_norm(x: Tensor, p: float = 2.0) -> Tensor:
    r"""The Euclidean or the maximum norm of each row, in double precision."""
    if x.layout == torch.strided:
        return torch.linalg.vector_norm(x, p, dim=-1, dtype=torch.double)
    entry = x.values().double().abs()
    out, row = entry.new_zeros(x.size(0)), entry_row(x)
    if p == torch.inf:
        return out.scatter_reduce_(0, row, entry, 'amax')
    return out.scatter_add_(0, row, entry.square()).sqrt()


def map_rows(x: Tensor, f: Callable[..., Tensor], arg: Tensor) -> Tensor:
    r"""Applies a function that keeps zeros to all entries and their row's
    element of :obj:`arg`.
    """
    arg = arg.to(x.dtype)
    if x.layout == torch.strided:
        return f(x, arg.view(-1, 1))
    return with_values(x, f(x.values(), arg[entry_row(x)]))


def scaled_down(x: Tensor, largest: Tensor) -> Tensor:
    r"""Rows times a power of two, which is exact, so that the given largest
    entries are about one and nothing that follows can overflow.
    """
    limit = 100 if x.dtype == torch.float else 900
    exponent = torch.frexp(largest).exponent.clamp(-limit, limit)
    scale = torch.ldexp(torch.ones_like(largest), -exponent)
    return map_rows(x, torch.mul, scale.expand(x.size(0)))


def is_integer(x: Tensor) -> bool:
    entry = values(x)
    return bool((entry == entry.round()).all())


def products(x: Tensor, start: int, stop: int) -> Tensor:
    r"""The products of all rows with some successive ones."""
    if x.layout == torch.strided:
        # This way round it is the faster one.
        return x @ x[start:stop].t().contiguous()
    crow, col, entry = x.crow_indices(), x.col_indices(), x.values()
    bound = crow[start : stop + 1]
    some = slice(int(bound[0]), int(bound[-1]))
    row = torch.arange(stop - start, device=x.device)
    row = row.repeat_interleave(bound.diff())
    block = entry.new_zeros(x.size(1), stop - start)
    block[col[some], row] = entry[some]
    if x.dtype != torch.float or x.device.type != 'cpu':
        return x @ block
    # A sum of rows by weight, for which embeddings have the fastest kernel.
    return torch.nn.functional.embedding_bag(
        col,
        block,
        crow,
        mode='sum',
        per_sample_weights=entry,
        include_last_offset=True,
    )


def pick(x: Tensor, index: Tensor) -> Tensor:
    r"""The rows with these indices, dense."""
    if x.layout == torch.strided:
        return x[index]
    start = x.crow_indices()[index]
    count = x.crow_indices()[index + 1] - start
    row = torch.arange(index.numel(), device=x.device)
    row = row.repeat_interleave(count)
    entry = torch.arange(row.numel(), device=x.device)
    entry += (start - count.cumsum(0) + count)[row]
    out = x.values().new_zeros(index.numel(), x.size(1))
    out[row, x.col_indices()[entry]] = x.values()[entry]
    return out


def pairwise(
    x: Tensor, node: Tensor, other: Tensor, f: Callable[..., Tensor]
) -> Tensor:
    r"""Applies a function to the rows of pairs in double precision, as many
    at a time as fit into a bounded memory.
    """
    step = max(1, 2**20 // max(1, x.size(1)))
    return torch.cat(
        [
            f(pick(x, i).double(), pick(x, j).double())
            for i, j in zip(node.split(step), other.split(step), strict=True)
        ]
    )


def sparse_dot(x: Tensor, index: Tensor) -> Tensor:
    r"""The inner products :math:`\mathbf{x}_i^{\top} \mathbf{x}_j` of some
    rows of a CSR matrix. It costs as much as their entries, however wide the
    matrix is.

    Args:
        x (Tensor): The matrix, of shape :obj:`[N, F]`.
        index (Tensor): The pairs of rows, of shape :obj:`[2, P]`.
    """
    pointer, column = x.crow_indices().long(), x.col_indices().long()
    count = pointer.diff()
    entry_row = torch.arange(x.size(0), device=x.device)
    key = entry_row.repeat_interleave(count) * x.size(1) + column
    key, order = key.sort()
    column, value = column[order], x.values()[order]
    out = value.new_zeros(index.size(1))
    most = max(1, int(count.max()) if count.numel() else 1)
    for place in torch.arange(index.size(1), device=x.device).split(
        max(1, CHUNK // most)
    ):
        row, col = index[:, place]
        entry, pair = entries_of(pointer, row)
        other, found = find(key, col[pair] * x.size(1) + column[entry])
        product = value[entry] * value[other] * found
        out.index_add_(0, place[pair], product)
    return out
