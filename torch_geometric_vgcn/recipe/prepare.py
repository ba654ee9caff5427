from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

from torch_geometric_vgcn.checks import (
    check_attributes,
    check_edge_index,
    check_features,
    check_kind,
    count_nodes,
)
from torch_geometric_vgcn.observed import observed_edges
from torch_geometric_vgcn.recipe.features import Features, features_of
from torch_geometric_vgcn.recipe.labels import labels_of
from torch_geometric_vgcn.recipe.task import Task


def prepare(
    data: Data,
    features: Features | None = None,
    network: Callable[[Task], Module] | None = None,
    warmup: int = 50,
    quantity: bool = False,
) -> Task:
    r"""Checks the data, and prepares them for all members. The data
    themselves stay as they are.
    """
    check_kind(data, Data, 'data')
    check_attributes(data, 'x')
    num_nodes = count_nodes(data)
    if num_nodes < 2:
        raise ValueError(
            f"'data' must have at least two nodes, got {num_nodes}"
        )
    x = _features(data, num_nodes)
    y, train, val = labels_of(data, num_nodes, quantity)
    if features is None:
        features = features_of(x)
    scaler = features.scaler(x)
    if y.is_floating_point():
        num_classes, share = 1, torch.ones(1)
    else:
        num_classes = int(y.max()) + 1
        # Unlike those for training, labels for validation are a random
        # sample:
        sample = y[val if val.numel() > 0 else train]
        share = sample.bincount(minlength=num_classes) + 1
    return Task(
        scaler(x),
        y.to(x.device),
        train.to(x.device),
        val.to(x.device) if val.numel() > 0 else None,
        num_classes,
        share.to(x.device),
        features,
        _graph(data, num_nodes, x.device),
        network,
        warmup,
        scaler,
    )


def _features(data: Data, num_nodes: int) -> Tensor:
    x = data.x.detach()
    if not x.is_floating_point() and not x.is_complex():
        x = x.float()  # counts are often integers
    check_features(x, num_nodes, 'data.x')
    if x.dim() != 2 or x.size(1) == 0:
        raise ValueError(
            f"'data.x' must have shape [{num_nodes}, F], got {list(x.shape)}"
        )
    x = x if x.layout == torch.strided else x.to_dense()
    return x.to(torch.get_default_dtype())


def _graph(data: Data, num_nodes: int, device: torch.device) -> Tensor | None:
    r"""The given graph, if there is one, in both directions."""
    edge_index = observed_edges(data)
    if edge_index is None:
        return None
    check_edge_index(edge_index, num_nodes, 'data.edge_index', loops=True)
    edge_index, _ = remove_self_loops(edge_index.long())
    # That some are left:
    check_edge_index(edge_index, num_nodes, 'data.edge_index')
    return to_undirected(edge_index.to(device), num_nodes=num_nodes)
