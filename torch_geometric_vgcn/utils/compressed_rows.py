import warnings
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch_geometric.index import index2ptr

from torch_geometric_vgcn.utils.pattern import Pattern

VECTOR = 8  # numbers that a core multiplies at once
TOGETHER = 2**22  # entries up to which several graphs are one matrix


class CSRPattern(Pattern):
    r"""The entries of sparse symmetric matrices in compressed rows (CSR), for
    products by compiled kernels. Small graphs go through them together, as one
    block-diagonal matrix.

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
            self.block(part).matrix(part.flatten())
            for part in weight.split(self.together)
        ]

    def product(self, entries: list[Tensor], x: Tensor) -> Tensor:
        out = torch.empty_like(x, memory_format=torch.contiguous_format)
        groups = zip(
            entries,
            x.split(self.together),
            out.split(self.together),
            strict=True,
        )
        for matrix, part, result in groups:
            torch.mm(matrix, part.flatten(0, 1), out=result.flatten(0, 1))
        return out

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        out = left.new_zeros(left.size(0), self.index.size(1))
        groups = zip(
            left.split(self.together),
            right.split(self.together),
            out.split(self.together),
            strict=True,
        )
        for rows, cols, result in groups:
            self.block(rows).dot(
                rows.flatten(0, 1), cols.flatten(0, 1), result.view(-1)
            )
        return out

    def block(self, part: Tensor) -> 'Block':
        r"""The pattern for as many graphs as :obj:`part` has rows."""
        count = part.size(0)
        if count not in self._blocks:
            # Kept, so it must be fit for training too:
            with torch.inference_mode(False):
                self._blocks[count] = Block(self.index, self.num_nodes, count)
        return self._blocks[count]


class Block:
    r"""The pattern of some symmetric matrices, all alike, as one
    block-diagonal matrix.

    Args:
        index (Tensor): The pairs :math:`i < j`, sorted, of shape
            :obj:`[2, P]`.
        num_nodes (int): The number of rows and columns of each.
        count (int, optional): The number of matrices. (default: :obj:`1`)
    """

    def __init__(self, index: Tensor, num_nodes: int, count: int = 1) -> None:
        row, col = index
        size = row.numel()
        # The kernels work with 32 bits, and would copy wider indices:
        small = torch.int32 if 2 * count * size < 2**31 else torch.int64
        # In each row those of the lower triangle come first, by column:
        order = col.argsort(stable=True)
        lower = index2ptr(col[order], num_nodes)
        upper = index2ptr(row, num_nodes)
        step = torch.arange(size, device=index.device)
        place = torch.cat([step + upper[col[order]], step + lower[row + 1]])
        pair = torch.empty_like(place, dtype=small)
        pair[place] = torch.cat([order, step]).to(small)
        other = torch.empty_like(pair)
        other[place] = torch.cat([row[order], col]).to(small)
        self.size = (count * num_nodes, count * num_nodes)
        self.pair = _repeated(pair, count, size)
        self.crow = _borders((lower + upper).to(small), count, 2 * size)
        self.col = _repeated(other, count, num_nodes)
        # The pairs alone, which are the upper triangle's rows:
        self.upper_crow = _borders(upper.to(small), count, size)
        self.upper_col = _repeated(col.to(small), count, num_nodes)

    def matrix(self, weight: Tensor) -> Tensor:
        r"""The matrix with one weight per pair."""
        return torch.sparse_csr_tensor(
            self.crow,
            self.col,
            weight.index_select(0, self.pair),
            self.size,
            check_invariants=False,
        )

    def dot(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        r"""Adds the pairs' products, both ways, to :obj:`out`."""
        upper = torch.sparse_csr_tensor(
            self.upper_crow,
            self.upper_col,
            out,
            self.size,
            check_invariants=False,
        )
        # The kernel is ten times slower without whole vectors:
        extra = -left.size(1) % VECTOR
        if extra > 0:
            left, right = pad(left, (0, extra)), pad(right, (0, extra))
        # In place, or the pattern would be copied each time:
        torch.sparse.sampled_addmm(upper, left, right.t(), out=upper)
        torch.sparse.sampled_addmm(upper, right, left.t(), out=upper)


def _repeated(value: Tensor, count: int, step: int) -> Tensor:
    r"""Several copies one after the other, each greater by :obj:`step`."""
    shift = step * torch.arange(count, device=value.device).to(value.dtype)
    return (value + shift.unsqueeze(1)).flatten()


def _borders(pointer: Tensor, count: int, step: int) -> Tensor:
    r"""The rows' borders of several copies one after the other."""
    return torch.cat([pointer[:1], _repeated(pointer[1:], count, step)])


def symmetric_csr(index: Tensor, weight: Tensor, num_nodes: int) -> Tensor:
    r"""A symmetric matrix of some pairs, which may repeat, with one weight per
    pair.
    """
    row, order = torch.cat([index[0], index[1]]).sort()
    other = torch.cat([index[1], index[0]])
    small = torch.int32 if row.numel() < 2**31 else torch.int64
    return torch.sparse_csr_tensor(
        index2ptr(row, num_nodes).to(small),
        other[order].to(small),
        torch.cat([weight, weight])[order],
        (num_nodes, num_nodes),
        check_invariants=False,
    )


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
