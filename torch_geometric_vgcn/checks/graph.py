r"""Checks of graphs and of the nodes in them."""

import torch
from torch import Tensor


def check_num_nodes(num_nodes: int) -> int:
    r"""Expects a whole number of at least two nodes."""
    if isinstance(num_nodes, bool) or not isinstance(num_nodes, int):
        raise TypeError(
            f"'num_nodes' must be an int, got {type(num_nodes).__name__}"
        )
    if num_nodes < 2:
        raise ValueError(
            f"'num_nodes' must be at least 2 (one pair), got {num_nodes}"
        )
    return num_nodes


def check_edge_index(
    edge_index: Tensor,
    num_nodes: int,
    name: str = 'edge_index',
) -> None:
    r"""Expects integer node pairs :obj:`[2, E]` without self-loops."""
    if not isinstance(edge_index, Tensor):
        raise TypeError(
            f"'{name}' must be a torch.Tensor of shape [2, E], "
            f'got {type(edge_index).__name__}'
        )
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise ValueError(
            f"'{name}' must have shape [2, E], got {list(edge_index.shape)}"
        )
    if edge_index.dtype not in (torch.int64, torch.int32, torch.int16):
        raise TypeError(
            f"'{name}' must hold integer node ids, got {edge_index.dtype}"
        )
    if edge_index.numel() == 0:
        raise ValueError(
            f"'{name}' is an empty graph, expected at least one edge"
        )
    low, high = int(edge_index.min()), int(edge_index.max())
    if low < 0 or high >= num_nodes:
        raise ValueError(
            f"'{name}' must hold node ids in [0, {num_nodes - 1}] "
            f"('num_nodes' is {num_nodes}), got ids from {low} to {high}"
        )
    loops = int((edge_index[0] == edge_index[1]).sum())
    if loops > 0:
        raise ValueError(
            f"'{name}' contains {loops} self-loops, expected none (call "
            'torch_geometric.utils.remove_self_loops first; the conv adds '
            'its own)'
        )


def check_node_id(
    node_id: Tensor, num_nodes: int, name: str = 'node_id'
) -> None:
    r"""Expects distinct node ids."""
    if node_id.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"'{name}' must hold integer node ids, got {node_id.dtype}"
        )
    if node_id.dim() != 1 or node_id.numel() < 2:
        raise ValueError(
            f"'{name}' must list at least two nodes, "
            f'got shape {list(node_id.shape)}'
        )
    if int(node_id.min()) < 0 or int(node_id.max()) >= num_nodes:
        raise ValueError(
            f"'{name}' must lie in [0, {num_nodes - 1}], got ids from "
            f'{int(node_id.min())} to {int(node_id.max())}'
        )
    if node_id.unique().numel() != node_id.numel():
        raise ValueError(f"'{name}' must list each node once")
