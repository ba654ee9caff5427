"""Checks of what comes in from outside, one line each at the boundary."""

import torch
from torch import Tensor


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


def check_count(value: int, name: str, least: int = 0) -> int:
    r"""Expects a whole number that isn't too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"'{name}' must be an int, got {value!r}")
    if value < least:
        raise ValueError(f"'{name}' must be at least {least}, got {value}")
    return value


def check_probability(value: float, name: str) -> float:
    r"""Expects a probability strictly inside :math:`(0, 1)`."""
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"'{name}' must lie strictly between 0 and 1, got {value}"
        )
    return float(value)


def check_positive(value: float, name: str) -> float:
    r"""Expects a finite number above zero."""
    if not 0.0 < value < float('inf'):
        raise ValueError(f"'{name}' must be positive and finite, got {value}")
    return float(value)


def check_share(value: float, name: str) -> float:
    r"""Expects a share from zero to one."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"'{name}' must lie between 0 and 1, got {value}")
    return float(value)


def check_features(x: Tensor, num_nodes: int, name: str = 'x') -> None:
    r"""Expects finite features with one row for each node."""
    if not isinstance(x, Tensor):
        raise TypeError(f"'{name}' must be a Tensor, got {type(x).__name__}")
    if x.dim() < 2 or x.size(-2) != num_nodes:
        raise ValueError(
            f"'{name}' must have one row for each of the {num_nodes} nodes, "
            f'got shape {list(x.shape)}'
        )
    if not (x.is_floating_point() or x.is_complex()):
        raise TypeError(f"'{name}' must be floating point, got {x.dtype}")
    if x.layout == torch.sparse_coo:
        x = x.coalesce()
    values = x if x.layout == torch.strided else x.values()
    if bool(values.sum().isfinite()):
        return  # much faster than to look at each
    bad = int((~values.isfinite()).sum())
    if bad > 0:
        raise ValueError(
            f"'{name}' must be finite, got {bad} NaN or infinite values"
        )


def check_labels(
    y: Tensor,
    mask: Tensor,
    num_nodes: int,
    name: str = 'mask',
    allow_none: bool = False,
) -> None:
    r"""Expects class ids, and a mask that selects some of them."""
    if y.dim() != 1 or y.size(0) != num_nodes or y.dtype != torch.int64:
        raise ValueError(
            f"'y' must hold one int64 class id for each of the {num_nodes} "
            f'nodes, got {y.dtype} of shape {list(y.shape)}'
        )
    if mask.dtype == torch.bool:
        if list(mask.shape) != [num_nodes]:
            raise ValueError(
                f"'{name}' must have shape [{num_nodes}], "
                f'got {list(mask.shape)}'
            )
        empty = not bool(mask.any())
    else:
        empty = mask.numel() == 0
    if empty and allow_none:
        return
    if empty:
        raise ValueError(
            f"'{name}' selects no node, expected at least one labelled node"
        )
    if int(y[mask].min()) < 0:
        raise ValueError(
            f"'y' must be non-negative where '{name}' selects a node, "
            f'got {int(y[mask].min())}'
        )
