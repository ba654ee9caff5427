import torch
from torch import Tensor

from torch_geometric_vgcn.pairs.pattern import Pattern

ROWS = 128  # a tile of so many rows stays in a core's cache


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

    def entries(self, weight: Tensor) -> list[Tensor]:
        return [tile.unpack(weight[:, tile.pairs]) for tile in self.tiles]

    def product(self, entries: list[Tensor], x: Tensor) -> Tensor:
        out = torch.zeros_like(x, memory_format=torch.contiguous_format)
        for tile, upper in zip(self.tiles, entries, strict=True):
            for s, matrix in enumerate(upper):
                out[s, tile.rows].addmm_(matrix, x[s, tile.cols])
                out[s, tile.cols].addmm_(matrix.t(), x[s, tile.rows])
        return out

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

    def unpack(self, weight: Tensor) -> Tensor:
        r"""The tile's matrices, from one weight a pair: zero on the diagonal
        and below.
        """
        rows, width = self.shape
        out = weight.new_empty(weight.size(0), rows * width)
        for s, piece in enumerate(weight):
            torch.index_select(piece, 0, self.pair, out=out[s])
        out = out.view(-1, rows, width)
        out[:, :, :rows].triu_(diagonal=1)
        return out

    def pack(self, matrix: Tensor, out: Tensor) -> None:
        r"""Writes the entries above the diagonal to :obj:`out`."""
        torch.index_select(matrix.flatten(), 0, self.entry, out=out)
