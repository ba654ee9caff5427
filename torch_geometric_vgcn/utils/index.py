r"""Numbers of node pairs, and rows of compressed matrices."""

import torch
from torch import Tensor

from torch_geometric_vgcn.utils.device import wide


def pair_key(edge_index: Tensor, num_nodes: int) -> Tensor:
    r"""One number per unordered pair, :math:`\min(i,j) N + \max(i,j)`."""
    row, col = edge_index.long()
    return torch.minimum(row, col) * num_nodes + torch.maximum(row, col)


def place_of(index: Tensor, num_nodes: int) -> Tensor:
    r"""Where pairs :math:`i < j` stand in the sorted list of all pairs."""
    row, col = index
    # Rows of the upper triangle start where all earlier rows have ended:
    return row * (2 * num_nodes - 1 - row) // 2 + col - row - 1


def pair_at(place: Tensor, num_nodes: int) -> Tensor:
    r"""The pairs at some places in the sorted list of all pairs."""
    width = 2 * num_nodes - 1
    if wide(place.device) == torch.double:
        # Row i starts at i * (2 N - 1 - i) / 2; solved for i, up to rounding:
        row = (width - (width**2 - 8 * place.double()).sqrt()) / 2
        row = row.long().clamp_(0, num_nodes - 2)
        row -= (row * (width - row) // 2 > place).long()
        row += ((row + 1) * (width - row - 1) // 2 <= place).long()
    else:
        # The last row that doesn't start later, bit by bit:
        row = torch.zeros_like(place)
        for bit in reversed(range(num_nodes.bit_length())):
            later = (row + 2**bit).clamp_(max=num_nodes - 2)
            starts = later * (width - later) // 2
            row = torch.where(starts <= place, later, row)
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
    (CSR), and in which of :obj:`row` each is. The cost grows with these
    entries, not with the matrix.
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
    r"""A number that tells two sets of keys apart, in any order."""
    # The sum wraps around: good enough.
    return int((key * 0x9E3779B97F4A7C1 + 1).square().sum())
