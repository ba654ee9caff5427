r"""Matrices in compressed rows (CSR), for products by compiled kernels."""

import warnings
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad
from torch_geometric.index import index2ptr

from torch_geometric_vgcn.utils.pattern import Pattern

# Up to this share of non-zeros, products with a sparse matrix are faster than
# with a dense one:
DENSITY = 0.1
VECTOR = 8  # numbers that a core multiplies at once
TOGETHER = 2**22  # entries up to which several graphs are one matrix


def csr_matrix(
    crow: Tensor, col: Tensor, value: Tensor, size: tuple[int, ...]
) -> Tensor:
    r"""A matrix in compressed rows, whose parts aren't checked."""
    return torch.sparse_csr_tensor(
        crow, col, value, size, check_invariants=False
    )


def with_values(x: Tensor, value: Tensor) -> Tensor:
    r"""The CSR matrix with other values at the same places."""
    return csr_matrix(x.crow_indices(), x.col_indices(), value, x.shape)


def as_csr(x: Tensor, most: float) -> Tensor | None:
    r"""A dense matrix on the CPU in compressed rows, or :obj:`None` if it has
    more than :obj:`most` non-zeros or there are no kernels for such a matrix.
    """
    # First of all, as it takes PyTorch's warning about such matrices:
    if not kernels_work(x.device, x.dtype):
        return None
    # NumPy finds the non-zeros several times faster than to_sparse_csr does.
    mask = x.detach().numpy() != 0
    if np.count_nonzero(mask) > most:
        return None
    entry = torch.from_numpy(np.flatnonzero(mask))
    row = torch.arange(x.size(0) + 1) * x.size(1)
    index = torch.int if entry.numel() < 2**31 else torch.long
    return csr_matrix(
        torch.searchsorted(entry, row).to(index),
        entry.remainder(x.size(1)).to(index),
        x.detach().take(entry),
        x.size(),
    )


def symmetric_csr(index: Tensor, weight: Tensor, num_nodes: int) -> Tensor:
    r"""A symmetric matrix of some pairs, which may repeat, with one weight per
    pair.
    """
    row, order = torch.cat([index[0], index[1]]).sort()
    other = torch.cat([index[1], index[0]])
    small = torch.int32 if row.numel() < 2**31 else torch.int64
    return csr_matrix(
        index2ptr(row, num_nodes).to(small),
        other[order].to(small),
        torch.cat([weight, weight])[order],
        (num_nodes, num_nodes),
    )


class CSRPattern(Pattern):
    r"""The entries of sparse symmetric matrices in compressed rows. Small
    graphs go through the kernels together, as one block-diagonal matrix.

    Args:
        index (Tensor): The pairs :math:`i < j`, sorted, of shape
            :obj:`[2, P]`.
        num_nodes (int): The number :math:`N` of rows and columns.
    """

    def __init__(self, index: Tensor, num_nodes: int) -> None:
        self.index = index
        self.num_nodes = num_nodes
        self.together = max(1, TOGETHER // max(1, 2 * index.size(1)))
        self._blocks: dict[int, Block] = {}

    def entries(self, weight: Tensor) -> list[Tensor]:
        return [
            self.block(len(part)).matrix(part.flatten())
            for part in weight.split(self.together)
        ]

    def product(self, entries: list[Tensor], x: Tensor) -> Tensor:
        out = torch.empty_like(x, memory_format=torch.contiguous_format)
        parts = x.split(self.together), out.split(self.together)
        for matrix, part, result in zip(entries, *parts, strict=True):
            torch.mm(matrix, part.flatten(0, 1), out=result.flatten(0, 1))
        return out

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        out = left.new_zeros(left.size(0), self.index.size(1))
        parts = (value.split(self.together) for value in (left, right, out))
        for rows, cols, result in zip(*parts, strict=True):
            self.block(len(rows)).dot(
                rows.flatten(0, 1), cols.flatten(0, 1), result.view(-1)
            )
        return out

    def block(self, count: int) -> 'Block':
        r"""The pattern of some graphs at once."""
        if count not in self._blocks:
            # Kept, so it must be fit for training too:
            with torch.inference_mode(False):
                shift = torch.arange(count, device=self.index.device)
                shift = self.num_nodes * shift.view(-1, 1)
                index = (self.index.unsqueeze(1) + shift).flatten(1)
                self._blocks[count] = Block(index, count * self.num_nodes)
        return self._blocks[count]


class Block:
    r"""The pattern of a symmetric matrix.

    Args:
        index (Tensor): The pairs :math:`i < j`, sorted, of shape
            :obj:`[2, P]`.
        num_nodes (int): The number of rows and columns.
    """

    def __init__(self, index: Tensor, num_nodes: int) -> None:
        row, col = index
        size = row.numel()
        # The kernels work with 32 bits, and would copy wider indices:
        small = torch.int32 if 2 * size < 2**31 else torch.int64
        # In each row those of the lower triangle come first, by column:
        order = col.argsort(stable=True)
        lower = index2ptr(col[order], num_nodes)
        upper = index2ptr(row, num_nodes)
        step = torch.arange(size, device=index.device)
        place = torch.cat([step + upper[col[order]], step + lower[row + 1]])
        self.pair = torch.empty_like(place, dtype=small)
        self.pair[place] = torch.cat([order, step]).to(small)
        self.col = torch.empty_like(self.pair)
        self.col[place] = torch.cat([row[order], col]).to(small)
        self.crow = (lower + upper).to(small)
        self.size = (num_nodes, num_nodes)
        # The pairs alone, which are the upper triangle's rows:
        self.upper = upper.to(small), col.to(small)

    def matrix(self, weight: Tensor) -> Tensor:
        r"""The matrix with one weight per pair."""
        value = weight.index_select(0, self.pair)
        return csr_matrix(self.crow, self.col, value, self.size)

    def dot(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        r"""Adds the pairs' products, both ways, to :obj:`out`."""
        upper = csr_matrix(*self.upper, out, self.size)
        # The kernel is ten times slower without whole vectors:
        extra = -left.size(1) % VECTOR
        if extra > 0:
            left, right = pad(left, (0, extra)), pad(right, (0, extra))
        # In place, or the pattern would be copied each time:
        torch.sparse.sampled_addmm(upper, left, right.t(), out=upper)
        torch.sparse.sampled_addmm(upper, right, left.t(), out=upper)


@lru_cache
def kernels_work(device: torch.device, dtype: torch.dtype) -> bool:
    r"""Whether PyTorch has the sparse kernels for tensors of this kind: not
    all builds, devices and precisions do.
    """
    pattern = CSRPattern(torch.tensor([[0], [1]], device=device), 2)
    x = torch.eye(2, device=device, dtype=dtype).unsqueeze(0)
    weight = torch.ones(1, 1, device=device, dtype=dtype)
    with warnings.catch_warnings():
        # Shown once per process; of no use to users of this package:
        warnings.filterwarnings('ignore', message='Sparse CSR tensor support')
        try:
            pattern.product(pattern.entries(weight), x)
            pattern.dot(x, x)
        except (NotImplementedError, RuntimeError):
            return False
    return True
