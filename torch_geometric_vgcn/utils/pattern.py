from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from torch_geometric_vgcn.utils.index import entries_of

ROWS = 128  # a tile of so many rows stays in a core's cache
VECTOR = 16  # columns: fewer aren't multiplied faster


class Pattern(ABC):
    r"""Where the weights of pairs stand in the symmetric matrices
    :math:`\mathbf{A}^{(1)}, \ldots, \mathbf{A}^{(S)}` of several graphs, with
    the products that a conv and its gradients need.
    """

    @abstractmethod
    def entries(self, weight: Tensor) -> Any:
        r"""Lays out the weights :obj:`[S, P]` for :meth:`product`."""

    @abstractmethod
    def product(self, entries: Any, x: Tensor) -> Tensor:
        r"""The products :math:`\mathbf{A}^{(s)} \mathbf{X}^{(s)}`, of shape
        :obj:`[S, N, d]`.
        """

    @abstractmethod
    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        r"""The gradients of weights, :math:`\mathbf{l}_i^{\top} \mathbf{r}_j +
        \mathbf{l}_j^{\top} \mathbf{r}_i` for each pair, of shape
        :obj:`[S, P]`, from :obj:`[S, N, d]`.
        """


class Triangle(Pattern):
    r"""The upper triangle of a dense symmetric matrix, in tiles of some rows.
    Neither the lower triangle nor the gradient of a whole matrix is ever
    held.

    Args:
        num_nodes (int): The number :math:`N` of rows and columns.
        device (torch.device): Where the weights are.
    """

    def __init__(self, num_nodes: int, device: torch.device) -> None:
        self.num_nodes = num_nodes
        self.num_pairs = num_nodes * (num_nodes - 1) // 2
        self.tiles = [
            Tile(start, num_nodes, device)
            for start in range(0, num_nodes - 1, ROWS)
        ]

    def entries(self, weight: Tensor) -> Tensor:
        return weight  # laid out tile by tile, again in each product

    def product(self, entries: Tensor, x: Tensor) -> Tensor:
        width = x.size(-1)
        if 1 < width % VECTOR:
            x = pad(x, (0, VECTOR - width % VECTOR))
        out = torch.zeros_like(x, memory_format=torch.contiguous_format)
        for tile in self.tiles:
            matrix = x.new_empty(tile.shape)
            for s, weight in enumerate(entries[:, tile.pairs]):
                tile.unpack(weight, matrix)
                out[s, tile.rows].addmm_(matrix, x[s, tile.cols])
                out[s, tile.cols].addmm_(matrix.t(), x[s, tile.rows])
        return out[..., :width]

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        rows = torch.cat([left, right], dim=-1)
        cols = torch.cat([right, left], dim=-1)
        out = left.new_empty(left.size(0), self.num_pairs)
        for tile in self.tiles:
            for s, piece in enumerate(out[:, tile.pairs]):
                product = rows[s, tile.rows] @ cols[s, tile.cols].t()
                tile.pack(product, piece)
        return out


class Tile:
    r"""Some rows of the upper triangle, from the first of their columns on.

    Args:
        start (int): The first row, and column.
        num_nodes (int): The number :math:`N` of all rows.
        device (torch.device): Where the weights are.
    """

    def __init__(
        self, start: int, num_nodes: int, device: torch.device
    ) -> None:
        stop = min(start + ROWS, num_nodes - 1)
        width = num_nodes - start
        row = torch.arange(stop - start, device=device).view(-1, 1)
        col = torch.arange(width, device=device)
        # Within the tile's pairs, row r begins at r * (2 * width - 1 - r) / 2
        place = row * (2 * width - 1 - row) // 2 + col - row - 1
        upper = col > row
        first = start * (2 * num_nodes - 1 - start) // 2
        count = int(upper.sum())
        self.rows = slice(start, stop)
        self.cols = slice(start, num_nodes)
        self.pairs = slice(first, first + count)
        self.shape = (stop - start, width)
        # Where each entry stands among the pairs, and each pair among the
        # entries:
        self.pair = (place * upper).int().flatten()
        self.entry = upper.flatten().nonzero().view(-1).int()

    def unpack(self, weight: Tensor, out: Tensor) -> None:
        r"""Writes one weight per pair to the matrix :obj:`out`, which is zero
        on the diagonal and below.
        """
        torch.index_select(weight, 0, self.pair, out=out.view(-1))
        out[:, : self.shape[0]].triu_(diagonal=1)

    def pack(self, matrix: Tensor, out: Tensor) -> None:
        r"""Writes the entries above the diagonal to :obj:`out`."""
        torch.index_select(matrix.flatten(), 0, self.entry, out=out)


class ClusterPattern(Pattern):
    r"""Dense symmetric blocks, one for each cluster of nodes, with nothing
    between them.

    Args:
        members (List[Tensor]): The nodes of each cluster, ascending.
        pointer (Tensor): Where each node's row of pairs starts, of shape
            :obj:`[N + 1]`.
    """

    def __init__(self, members: list[Tensor], pointer: Tensor) -> None:
        # A node alone has no pairs:
        self.members = [node for node in members if node.numel() > 1]
        self.pointer = pointer
        sizes = {node.numel() for node in self.members}
        self.triangles = {n: Triangle(n, pointer.device) for n in sizes}

    def _pairs(self, node: Tensor) -> Tensor:
        # As large as the weights twice over: made when needed, not kept.
        return entries_of(self.pointer, node)[0]

    def entries(self, weight: Tensor) -> list[Tensor]:
        return [weight[:, self._pairs(node)] for node in self.members]

    def product(self, entries: list[Tensor], x: Tensor) -> Tensor:
        out = x.new_zeros(x.shape)
        for node, weight in zip(self.members, entries, strict=True):
            triangle = self.triangles[node.numel()]
            out[:, node] = triangle.product(weight, x[:, node])
        return out

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        out = left.new_empty(left.size(0), int(self.pointer[-1]))
        for node in self.members:
            triangle = self.triangles[node.numel()]
            part = triangle.dot(left[:, node], right[:, node])
            out[:, self._pairs(node)] = part
        return out
