import torch
from torch import Tensor
from torch.nn.functional import pad

from torch_geometric_vgcn.utils.pattern import Pattern

ROWS = 128  # a tile of so many rows stays in a core's cache
VECTOR = 16  # columns: fewer aren't multiplied faster


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
