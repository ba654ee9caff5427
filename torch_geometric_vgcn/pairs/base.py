from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.pairs.pattern import Pattern


class Pairs(Module, ABC):
    r"""The unordered node pairs :math:`\{i, j\}, i < j` that have a logit of
    their own: one variable a pair, shared by both directions.

    There are no self-loops and each pair comes once, sorted by
    :math:`(i, j)`.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
        position (Tensor, optional): Where each pair stands in the pairs that
            this is a subset of. (default: :obj:`None`)
        node_id (Tensor, optional): Which node of those each node is.
            (default: :obj:`None`)
    """

    # Whether the other pairs have a probability too, that of the background:
    has_background = True

    index: Tensor  # [2, P]
    key: Tensor  # one increasing number a pair, i * N + j
    position: Tensor | None
    node_id: Tensor | None

    def __init__(
        self,
        num_nodes: int,
        position: Tensor | None = None,
        node_id: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_nodes = num_nodes
        self._pattern: tuple[torch.device, Pattern] | None = None
        self.register_buffer('position', position, persistent=False)
        self.register_buffer('node_id', node_id, persistent=False)

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def device(self) -> torch.device: ...

    @property
    def num_possible(self) -> int:
        r"""The number of all unordered pairs, :math:`N(N-1)/2`."""
        return self.num_nodes * (self.num_nodes - 1) // 2

    @property
    def pattern(self) -> Pattern:
        r"""Where the pairs stand in a symmetric matrix, found out once."""
        if self._pattern is None or self._pattern[0] != self.device:
            self._pattern = (self.device, self._make_pattern())
        return self._pattern[1]

    @abstractmethod
    def _make_pattern(self) -> Pattern: ...

    @abstractmethod
    def contains(self, edge_index: Tensor) -> Tensor:
        r"""Tells for each pair whether :obj:`edge_index` connects it, in
        whichever direction: a mask of shape :obj:`[P]`.
        """

    @abstractmethod
    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The inner products :math:`\mathbf{l}_i^{\top} \mathbf{r}_j` of the
        pairs' nodes, of shape :obj:`[P]`.
        """

    @abstractmethod
    def subset(self, node_id: Tensor) -> 'Pairs':
        r"""The pairs among the nodes :obj:`node_id`, renumbered to their
        places in :obj:`node_id`.
        """

    def extra_repr(self) -> str:
        return f'num_nodes={self.num_nodes}, num_pairs={len(self)}'


def pair_key(edge_index: Tensor, num_nodes: int) -> Tensor:
    r"""One number an unordered pair, :math:`\min(i,j) N + \max(i,j)`."""
    row, col = edge_index.long()
    return torch.minimum(row, col) * num_nodes + torch.maximum(row, col)


def place_of(index: Tensor, num_nodes: int) -> Tensor:
    r"""Where pairs :math:`i < j` stand in the sorted list of all pairs."""
    row, col = index
    # Rows of the upper triangle start where all earlier rows have ended:
    return row * (2 * num_nodes - 1 - row) // 2 + col - row - 1


def pair_at(place: Tensor, num_nodes: int) -> Tensor:
    r"""The pairs at some places in the sorted list of all pairs."""
    # Row i starts at i * (2 N - 1 - i) / 2; solved for i, up to rounding:
    width = 2 * num_nodes - 1
    row = (width - (width**2 - 8 * place.double()).sqrt()) / 2
    row = row.long().clamp_(0, num_nodes - 2)
    row -= (row * (width - row) // 2 > place).long()
    row += ((row + 1) * (width - row - 1) // 2 <= place).long()
    return torch.stack([row, place - row * (width - row) // 2 + row + 1])


def find(key: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    r"""Where each of :obj:`wanted` stands among the sorted :obj:`key`, and
    whether it is there.
    """
    if key.numel() == 0:
        return torch.zeros_like(wanted), torch.zeros_like(wanted).bool()
    place = torch.searchsorted(key, wanted).clamp(max=key.numel() - 1)
    return place, key[place] == wanted


def entries_of(pointer: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    r"""Where the entries of some rows stand in a matrix of compressed rows
    (CSR), and in which of :obj:`row` each is. It costs what they are, not
    what the matrix is.
    """
    start = pointer[row]
    count = pointer[row + 1] - start
    which = torch.arange(row.numel(), device=row.device)
    which = which.repeat_interleave(count)
    shift = start - (count.cumsum(0) - count)
    place = torch.arange(which.numel(), device=row.device)
    return place + shift[which], which


def entries_among(
    pointer: Tensor, col: Tensor, node_id: Tensor
) -> tuple[Tensor, Tensor]:
    r"""Where the entries among the nodes :obj:`node_id` stand in a matrix of
    compressed rows (CSR), and their rows and columns as places in
    :obj:`node_id`, of shape :obj:`[2, M]`.
    """
    place, row = entries_of(pointer, node_id)
    known, order = node_id.sort()
    local, found = find(known, col[place])
    index = torch.stack([row, order[local]])
    return place[found], index[:, found]


def checksum(key: Tensor) -> int:
    r"""A number that tells two sets of keys apart, in whichever order."""
    # The sum wraps around: good enough.
    return int((key * 0x9E3779B97F4A7C1 + 1).square().sum())


def check_node_id(
    node_id: Tensor, num_nodes: int, name: str = 'node_id'
) -> None:
    r"""Expects distinct node ids."""
    if node_id.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"'{name}' must hold integer node ids, got {node_id.dtype}"
        )
    if node_id.dim() != 1 or node_id.numel() < 2:
        raise ValueError(
            f"'{name}' must list at least two nodes, "
            f'got shape {list(node_id.shape)}'
        )
    if int(node_id.min()) < 0 or int(node_id.max()) >= num_nodes:
        raise ValueError(
            f"'{name}' must lie in [0, {num_nodes - 1}], got ids from "
            f'{int(node_id.min())} to {int(node_id.max())}'
        )
    if node_id.unique().numel() != node_id.numel():
        raise ValueError(f"'{name}' must list each node once")
