import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import index_to_mask

from torch_geometric_vgcn.utils import count_nodes

MOST_CLASSES = 2**24  # more is no class id but something else


def labels_of(data: Data) -> Tensor:
    r"""The classes of all nodes, on the CPU. A label below zero is none, and
    at least one node has one.
    """
    num_nodes, y = count_nodes(data), data.get('y')
    if (
        not isinstance(y, Tensor)
        or y.layout != torch.strided
        or list(y.shape) != [num_nodes]
        or y.dtype not in (torch.int64, torch.int32, torch.int16)
    ):
        got = type(y).__name__
        if isinstance(y, Tensor):
            got = f'{y.dtype} of shape {list(y.shape)}'
        raise ValueError(
            f"'data.y' must hold one class id for each of the {num_nodes} "
            f'nodes, got {got}'
        )
    y = y.cpu().long()
    if not bool((y >= 0).any()):
        raise ValueError("'data.y' must label at least one node, got none")
    if int(y.max()) >= MOST_CLASSES:
        raise ValueError(
            f"'data.y' must hold class ids below {MOST_CLASSES}, got "
            f'{int(y.max())}'
        )
    return y


def shuffled_labels(data: Data, seed: int) -> tuple[Tensor, Tensor]:
    r"""The labelled nodes in a random order, and their classes, on the CPU: so
    the same seed gives the same split on each device.
    """
    y = labels_of(data)
    node = (y >= 0).nonzero().view(-1)
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
