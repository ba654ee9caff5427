r"""Checks of graphs and of the nodes in them."""

from collections.abc import Sequence
from reprlib import repr as short

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.utils.constraints import check_count, check_tensor

# Pairs are numbered i * N + j in int64:
MOST_NODES = 3_037_000_499


def check_num_nodes(num_nodes: int, name: str = 'num_nodes') -> int:
    r"""Expects a whole number of at least two nodes."""
    return check_count(num_nodes, name, least=2, most=MOST_NODES)


def count_nodes(data: Data, name: str = 'data') -> int:
    r"""Expects a graph of one type of nodes and edges, and returns the number
    of its nodes.
    """
    if not isinstance(data, Data):  # HeteroData isn't one either
        raise TypeError(
            f"'{name}' must be a torch_geometric.data.Data (one type of "
            f'nodes and edges), got {type(data).__name__}'
        )
    try:
        num_nodes = data.num_nodes
    except (
        AttributeError,
        IndexError,
        OverflowError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(
            f"'{name}' must have attributes that tell the number of nodes, "
            f'got {short(data)} ({error})'
        ) from error
    if num_nodes is None:
        raise ValueError(
            f"'{name}' must have nodes: 'x', 'edge_index' or 'num_nodes', "
            f'got {", ".join(sorted(data.keys())) or "nothing"}'
        )
    return check_count(num_nodes, f'{name}.num_nodes', most=MOST_NODES)


def check_edge_shape(shape: Sequence[int], name: str = 'edge_index') -> None:
    r"""Expects two rows, the ends of each edge one below the other."""
    if len(shape) == 2 and shape[0] == 2:
        return
    hint = ''
    if len(shape) == 2 and shape[1] == 2:
        hint = f': for one edge per row, give the transpose ({name}.T)'
    raise ValueError(
        f"'{name}' must have shape [2, E], got {list(shape)}{hint}"
    )


def check_edge_index(
    edge_index: Tensor,
    num_nodes: int,
    name: str = 'edge_index',
    *,
    empty: bool = False,
    loops: bool = False,
) -> None:
    r"""Expects integer node pairs :obj:`[2, E]`: at least one if not
    :obj:`empty`, and without self-loops if not :obj:`loops`.
    """
    check_tensor(edge_index, '[2, E]', name)
    check_edge_shape(edge_index.shape, name)
    if edge_index.dtype not in (torch.int64, torch.int32, torch.int16):
        raise TypeError(
            f"'{name}' must hold integer node ids, got {edge_index.dtype}"
        )
    if edge_index.numel() == 0:
        if empty:
            return
        raise ValueError(
            f"'{name}' is an empty graph, expected at least one edge"
        )
    _check_range(edge_index, num_nodes, name)
    count = int((edge_index[0] == edge_index[1]).sum())
    if count > 0 and not loops:
        raise ValueError(
            f"'{name}' contains {count} self-loops, expected none (call "
            'torch_geometric.utils.remove_self_loops first; the conv adds '
            'its own)'
        )


def _check_range(ids: Tensor, num_nodes: int, name: str) -> None:
    low, high = (int(value) for value in ids.aminmax())
    if low < 0 or high >= num_nodes:
        raise ValueError(
            f"'{name}' must hold node ids in [0, {num_nodes - 1}], got ids "
            f"from {low} to {high} ('num_nodes' is {num_nodes})"
        )


def check_node_id(
    node_id: Tensor, num_nodes: int, name: str = 'node_id', least: int = 2
) -> None:
    r"""Expects distinct node ids."""
    check_tensor(node_id, '[n]', name)
    if node_id.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"'{name}' must hold integer node ids, got {node_id.dtype}"
        )
    if node_id.dim() != 1 or node_id.numel() < least:
        few = {1: ', with at least one node', 2: ', with at least two nodes'}
        raise ValueError(
            f"'{name}' must be a list of node ids of shape [n]"
            f'{few.get(least, "")}, got shape {list(node_id.shape)}'
        )
    if node_id.numel() == 0:
        return
    _check_range(node_id, num_nodes, name)
    node, count = node_id.unique(return_counts=True)
    if node.numel() < node_id.numel():
        raise ValueError(
            f"'{name}' must list each node once, got {int(node[count > 1][0])}"
            ' several times (a mask of zeros and ones must be boolean: '
            'mask.bool())'
        )


def check_node_mask(mask: Tensor, num_nodes: int, name: str) -> None:
    r"""Expects one :obj:`bool` for each node."""
    check_tensor(mask, f'[{num_nodes}]', name)
    if mask.dtype != torch.bool:
        raise TypeError(f"'{name}' must be a boolean mask, got {mask.dtype}")
    if list(mask.shape) != [num_nodes]:
        raise ValueError(
            f"'{name}' must have shape [{num_nodes}], got {list(mask.shape)}"
        )


def selected_nodes(
    mask: Tensor, num_nodes: int, name: str = 'mask', allow_none: bool = False
) -> Tensor:
    r"""The nodes that a mask selects, ascending. Expects a boolean mask of
    shape :obj:`[N]`, or distinct node indices of type int64 or int32.
    """
    check_tensor(mask, f'[{num_nodes}]', name)
    if mask.dtype == torch.bool:
        check_node_mask(mask, num_nodes, name)
        nodes = mask.nonzero().view(-1)
    elif mask.dtype in (torch.int64, torch.int32):
        check_node_id(mask, num_nodes, name, least=0)
        nodes = mask.long().sort().values
    else:
        raise TypeError(
            f"'{name}' must be a boolean mask or hold int64 node indices, "
            f'got {mask.dtype}'
        )
    if nodes.numel() == 0 and not allow_none:
        raise ValueError(
            f"'{name}' selects no node, expected at least one labelled node"
        )
    return nodes
