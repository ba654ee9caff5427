import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.utils import (
    check_features,
    check_seed,
    check_share,
    count_nodes,
)


class ShuffleFeatures(BaseTransform):
    r"""Shuffles the features among a random share of the nodes: each of them
    gets those of another one. A share that is a single node, which has nobody
    to change with, is refused.

    Args:
        share (float): The share of the nodes.
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        self.share = check_share(share, 'share')
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        num_nodes = count_nodes(data)
        check_features(data.x, num_nodes, 'data.x')
        if data.x.dim() != 2:
            raise ValueError(
                f"'data.x' must have shape [N, F], got {list(data.x.shape)}"
            )
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(num_nodes, generator=generator)
        node = order[: round(self.share * num_nodes)].to(data.x.device)
        if node.numel() == 1:
            raise ValueError(
                "'share' must select no node or at least two, which change "
                f'their features, got {self.share} of {num_nodes}: one node'
            )
        source = torch.arange(num_nodes, device=data.x.device)
        # One round of all of them, so that none keeps its own:
        source[node] = node.roll(1)
        x, layout = data.x, data.x.layout
        if layout == torch.sparse_csr:  # has no 'index_select'
            x = x.to_sparse_coo()
        x = x.index_select(0, source)
        data.x = x.to_sparse_csr() if layout == torch.sparse_csr else x
        return data

    def __repr__(self) -> str:
        return f'{type(self).__name__}(share={self.share}, seed={self.seed})'
