r"""Checks of features, labels, masks and predictions."""

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.utils.constraints import check_kind, check_tensor


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


def selected_nodes(
    mask: Tensor, num_nodes: int, name: str = 'mask', allow_none: bool = False
) -> Tensor:
    r"""The nodes that a mask selects, ascending. Expects a boolean mask of
    shape :obj:`[N]`, or distinct node indices of type int64 or int32.
    """
    check_tensor(mask, f'[{num_nodes}]', name)
    if mask.dtype == torch.bool:
        if list(mask.shape) != [num_nodes]:
            raise ValueError(
                f"'{name}' must have shape [{num_nodes}], "
                f'got {list(mask.shape)}'
            )
        nodes = mask.nonzero().view(-1)
    elif mask.dtype in (torch.int64, torch.int32):
        if mask.dim() != 1:
            raise ValueError(
                f"'{name}' must be a list of node indices of shape [n], "
                f'got {list(mask.shape)}'
            )
        nodes = mask.long().sort().values
    else:
        raise TypeError(
            f"'{name}' must be a boolean mask or hold int64 node indices, "
            f'got {mask.dtype}'
        )
    if nodes.numel() == 0:
        if allow_none:
            return nodes
        raise ValueError(
            f"'{name}' selects no node, expected at least one labelled node"
        )
    if mask.dtype == torch.bool:
        return nodes
    low, high = int(nodes[0]), int(nodes[-1])
    if low < 0 or high >= num_nodes:
        raise ValueError(
            f"'{name}' must hold node indices in [0, {num_nodes - 1}], "
            f'got indices from {low} to {high}'
        )
    repeated = nodes[1:] == nodes[:-1]
    if bool(repeated.any()):
        raise ValueError(
            f"'{name}' must hold each node index once, got "
            f'{int(nodes[1:][repeated][0])} several times (a mask of zeros '
            'and ones must be boolean: mask.bool())'
        )
    return nodes


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


def check_class_probs(prob: Tensor) -> None:
    r"""Expects rows of probabilities that sum to one."""
    check_kind(prob, Tensor, 'prob')
    if prob.dim() != 2 or prob.numel() == 0 or prob.layout != torch.strided:
        raise ValueError(
            "'prob' must be dense of shape [N, C], got "
            f'{prob.layout} of shape {list(prob.shape)}'
        )
    if not prob.is_floating_point():
        raise TypeError(f"'prob' must be floating point, got {prob.dtype}")
    # Half precision has fewer than four decimal places:
    slack = max(1e-3, 4 * torch.finfo(prob.dtype).eps)
    low, high = float(prob.min()), float(prob.max())
    if not (low >= 0 and high <= 1 + slack / 10):  # NaN fails too
        raise ValueError(
            "'prob' must hold probabilities between 0 and 1, got values from "
            f'{low:g} to {high:g}'
        )
    wide = torch.promote_types(prob.dtype, torch.float)
    total = prob.sum(dim=-1, dtype=wide)
    if bool(((total - 1).abs() > slack).any()):
        raise ValueError(
            "'prob' must sum to 1 over the classes, got sums from "
            f'{float(total.min()):g} to {float(total.max()):g}'
        )
