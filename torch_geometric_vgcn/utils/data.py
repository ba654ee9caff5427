r"""Checks of features, labels and predictions."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.utils.constraints import (
    Floats,
    check_kind,
    check_tensor,
)
from torch_geometric_vgcn.utils.graph import selected_nodes


def check_attributes(data: Data, *names: str) -> None:
    r"""Expects a graph with some tensors."""
    for name in names:
        value = getattr(data, name, None)
        if value is None:
            raise ValueError(f"'data' must have '{name}', got {data}")
        check_kind(value, Tensor, f'data.{name}')


def check_features(
    x: Tensor, num_nodes: int, name: str = 'x', values: bool = True
) -> None:
    r"""Expects finite features with one row for each node. Without a look at
    the values, no device is waited for.
    """
    check_kind(x, Tensor, name)
    if x.dim() < 2 or x.size(-2) != num_nodes:
        raise ValueError(
            f"'{name}' must have one row for each of the {num_nodes} nodes, "
            f'got shape {list(x.shape)}'
        )
    if not x.is_floating_point():
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


def check_num_outputs(num_outputs: int, highest: int, name: str = 'y') -> None:
    r"""Expects a network with one output for each class."""
    if num_outputs < 2:
        raise ValueError(
            f'the network must have one output per class, got {num_outputs} '
            'in all: two classes need two outputs'
        )
    if highest >= num_outputs:
        raise ValueError(
            f"'{name}' must hold classes below {num_outputs}, the number of "
            f'outputs of the network, got {highest}'
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
    check_tensor(y, f'[{num_nodes}]', 'y')
    if y.dim() != 1 or y.size(0) != num_nodes or y.dtype != torch.int64:
        raise ValueError(
            f"'y' must hold one int64 class id for each of the {num_nodes} "
            f'nodes, got {y.dtype} of shape {list(y.shape)}'
        )
    nodes = selected_nodes(mask, num_nodes, name, allow_none)
    if nodes.numel() == 0:
        return
    low, high = (int(value) for value in y[nodes.to(y.device)].aminmax())
    if low < 0:
        raise ValueError(
            f"'y' must be non-negative where '{name}' selects a node, "
            f'got {low}'
        )
    if num_classes is not None:
        check_num_outputs(num_classes, high)


def check_probs(
    prob: Tensor, name: str = 'prob', column: str = 'C', slack: float = 0.0
) -> None:
    r"""Expects probabilities of some outcomes of each node."""
    Floats('N', column)(prob, name)
    if prob.numel() == 0:
        raise ValueError(
            f"'{name}' must hold the probabilities of at least one node, got "
            f'shape {list(prob.shape)}'
        )
    low, high = float(prob.min()), float(prob.max())
    if not (low >= 0 and high <= 1 + slack):  # NaN fails too
        raise ValueError(
            f"'{name}' must hold probabilities between 0 and 1, got values "
            f'from {low:g} to {high:g}'
        )


def check_class_probs(prob: Tensor) -> None:
    r"""Expects rows of probabilities that sum to one."""
    Floats('N', 'C')(prob, 'prob')
    # Half precision has fewer than four decimal places:
    slack = max(1e-3, 4 * torch.finfo(prob.dtype).eps)
    check_probs(prob, slack=slack / 10)
    wide = torch.promote_types(prob.dtype, torch.float)
    total = prob.sum(dim=-1, dtype=wide)
    if bool(((total - 1).abs() > slack).any()):
        raise ValueError(
            "'prob' must sum to 1 over the classes, got sums from "
            f'{float(total.min()):g} to {float(total.max()):g}'
        )
