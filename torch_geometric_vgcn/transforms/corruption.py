r"""Former transforms, which work until 0.4 and warn: PyG has others."""

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from torch_geometric_vgcn.transforms.random_perturbation import (
    RandomPerturbation,
)
from torch_geometric_vgcn.utils import (
    check_features,
    check_node_mask,
    check_positive,
    check_seed,
    check_share,
    count_nodes,
)
from torch_geometric_vgcn.utils.deprecated import warn


class DropEdges(RandomPerturbation):
    r"""Removes a random share of the edges, as
    :func:`torch_geometric.utils.dropout_edge` does.
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        warn('DropEdges', 'torch_geometric.utils.dropout_edge')
        super().__init__(seed=seed)
        self.share = check_share(share, 'share')

    def counts(self, num_edges: int) -> tuple[int, int]:
        return 0, round(self.share * num_edges)

    def removable(
        self, edges: Tensor, num_nodes: int, generator: torch.Generator
    ) -> Tensor:
        return edges


class AddEdges(RandomPerturbation):
    r"""Adds random edges, a share of the number of existing edges, as
    :func:`torch_geometric.utils.add_random_edge` does.
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        warn('AddEdges', 'torch_geometric.utils.add_random_edge')
        super().__init__(seed=seed)
        self.share = check_positive(share, 'share')

    def counts(self, num_edges: int) -> tuple[int, int]:
        return round(self.share * num_edges), 0


class HideLabels(BaseTransform):
    r"""Takes a random share of the training nodes out of
    :obj:`data.train_mask`.
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        warn('HideLabels', 'torch_geometric.transforms.RandomNodeSplit')
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


class ShuffleFeatures(BaseTransform):
    r"""Gives each of a random share of the nodes the features of another of
    them, as :func:`torch_geometric.utils.shuffle_node` does.
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        warn('ShuffleFeatures', 'torch_geometric.utils.shuffle_node')
        self.share = check_share(share, 'share')
        self.seed = check_seed(seed)

    def forward(self, data: Data) -> Data:
        num_nodes, x = count_nodes(data), data.x
        check_features(x, num_nodes, 'data.x')
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(num_nodes, generator=generator)
        node = order[: round(self.share * num_nodes)].to(x.device)
        if node.numel() == 1:
            raise ValueError(
                "'share' must select no node or at least two, which change "
                f'their features, got {self.share} of {num_nodes}: one node'
            )
        source = torch.arange(num_nodes, device=x.device)
        # One round of all of them, so that none keeps its own:
        source[node] = node.roll(1)
        rows = x.to_sparse_coo() if x.layout == torch.sparse_csr else x
        rows = rows.index_select(0, source)
        data.x = rows.to_sparse_csr() if rows.layout != x.layout else rows
        return data
