r"""Checks of features and labels."""

import torch
from torch import Tensor


def check_features(
    x: Tensor, num_nodes: int, name: str = 'x', values: bool = True
) -> None:
    r"""Expects finite features with one row for each node. Without a look at
    the values, no device is waited for.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"'{name}' must be a Tensor, got {type(x).__name__}")
    if x.dim() < 2 or x.size(-2) != num_nodes:
        raise ValueError(
            f"'{name}' must have one row for each of the {num_nodes} nodes, "
            f'got shape {list(x.shape)}'
        )
    if not (x.is_floating_point() or x.is_complex()):
        raise TypeError(f"'{name}' must be floating point, got {x.dtype}")
    if not values:
        return
    if x.layout == torch.sparse_coo:
        x = x.coalesce()
    entries = x if x.layout == torch.strided else x.values()
    if bool(entries.sum().isfinite()):
        return  # much faster than to look at each
    bad = int((~entries.isfinite()).sum())
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
    num_classes: int | None = None,
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
