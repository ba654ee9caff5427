import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.utils import (
    check_node_mask,
    check_seed,
    check_share,
    count_nodes,
)


class HideLabels(BaseTransform):
    r"""Takes a random share of the training nodes out of
    :obj:`data.train_mask`. Their labels stay in :obj:`data.y`.

    Args:
        share (float): The share of the training nodes.
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share = check_share(share, 'share')
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        num_nodes = count_nodes(data)
        check_node_mask(data.get('train_mask'), num_nodes, 'data.train_mask')
        train = data.train_mask.nonzero().view(-1)
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(train.numel(), generator=generator)
        hidden = train[order[: round(self.share * train.numel())].to(train)]
        data.train_mask = data.train_mask.index_fill(0, hidden, False)
        return data

    def __repr__(self) -> str:
        return f'{type(self).__name__}(share={self.share}, seed={self.seed})'
