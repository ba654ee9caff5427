import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.utils import (
    check_features,
    check_seed,
    check_share,
    count_nodes,
)


class ShuffleWords(BaseTransform):
    r"""Replaces a random share of the words: each of these non-zero entries
    of :obj:`data.x` moves to a random column of the same row that was zero. A
    node keeps the number and the values of its words, and the graph stays as
    it is.

    :class:`ShuffleFeatures` swaps whole rows.

    Args:
        share (float): The share of the non-zero entries of all nodes.
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share = check_share(share, 'share')
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        num_nodes, x = count_nodes(data), data.get('x')
        check_features(x, num_nodes, 'data.x')
        if x.dim() != 2:
            raise ValueError(
                f"'data.x' must have shape [N, F], got {list(x.shape)}"
            )
        (row, col), value = _words(x)
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(row.numel(), generator=generator)
        word = order[: round(self.share * row.numel())]
        # By row, and in a random order within:
        word = word[row[word].argsort(stable=True)]
        col = col.index_copy(
            0, word, self._columns(row, col, row[word], x.shape, generator)
        )
        index = torch.stack([row, col]).to(x.device)
        out = torch.sparse_coo_tensor(
            index, value, x.shape, check_invariants=False
        ).coalesce()
        dense = x.layout == torch.strided
        data.x = out.to_dense() if dense else out.to_sparse(layout=x.layout)
        return data

    def _columns(
        self,
        row: Tensor,
        col: Tensor,
        moved: Tensor,
        shape: torch.Size,
        generator: torch.Generator,
    ) -> Tensor:
        r"""As many distinct columns of zeros for each row as words move."""
        num_rows, num_columns = shape
        wanted = torch.bincount(moved, minlength=num_rows)
        zeros = num_columns - torch.bincount(row, minlength=num_rows)
        if bool((wanted > zeros).any()):
            worst = int((wanted - zeros).argmax())
            raise ValueError(
                f"'data.x' must have a zero for each word that moves, got "
                f'{int(zeros[worst])} zeros for {int(wanted[worst])} words of '
                f'node {worst}: features of mostly zeros are expected'
            )
        # All zeros stand in one line, row after row. The zero of rank r has
        # as many words before it as have at most r zeros before them.
        end = zeros.cumsum(0)
        rank, node = moved.new_empty(0), torch.arange(num_rows)
        missing = wanted
        while bool(missing.any()):
            owner = node.repeat_interleave(missing)
            drawn = torch.rand(
                owner.numel(), generator=generator, dtype=torch.double
            )
            drawn = (drawn * zeros[owner]).long() + (end - zeros)[owner]
            rank = torch.cat([rank, drawn]).unique()
            owner = torch.searchsorted(end, rank, right=True)
            missing = wanted - torch.bincount(owner, minlength=num_rows)
        key = row * num_columns + col
        before = key - torch.arange(key.numel())
        place = rank + torch.searchsorted(before, rank, right=True)
        return place % num_columns

    def __repr__(self) -> str:
        return f'{type(self).__name__}(share={self.share}, seed={self.seed})'


def _words(x: Tensor) -> tuple[Tensor, Tensor]:
    r"""The places of the non-zero entries, row by row and on the CPU, and
    their values.
    """
    x = x.to_sparse_coo().coalesce()
    word = x.values() != 0
    return x.indices()[:, word].cpu(), x.values()[word]
