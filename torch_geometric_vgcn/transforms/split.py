import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import index_to_mask


def shuffled_labels(data: Data, seed: int) -> tuple[Tensor, Tensor]:
    r"""The labelled nodes in a random order, and their classes, on the CPU: so
    the same seed gives the same split on each device. A label below zero is
    none.
    """
    y = data.y
    if not isinstance(y, Tensor) or y.dim() != 1 or y.is_floating_point():
        got = type(y).__name__
        if isinstance(y, Tensor):
            got = f'{y.dtype} of shape {list(y.shape)}'
        raise ValueError(
            f"'data.y' must hold one class id for each node, got {got}"
        )
    y = y.cpu()
    node = (y >= 0).nonzero().view(-1)
    if node.numel() == 0:
        raise ValueError("'data.y' must label at least one node, got none")
    generator = torch.Generator().manual_seed(seed)
    node = node[torch.randperm(node.numel(), generator=generator)]
    return node, y[node]


def rank_in_class(y: Tensor) -> Tensor:
    r"""How many nodes of its own class come before each node."""
    rank = torch.empty_like(y)
    for label in y.unique():
        same = y == label
        rank[same] = torch.arange(int(same.sum()))
    return rank


def set_masks(data: Data, **nodes: Tensor) -> Data:
    r"""Sets :obj:`data.{name}_mask` from the nodes that it selects."""
    for name, node in nodes.items():
        mask = index_to_mask(node, data.num_nodes).to(data.y.device)
        data[f'{name}_mask'] = mask
    return data
