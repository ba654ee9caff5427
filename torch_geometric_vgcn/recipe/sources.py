r"""Where the graphs and the networks of members come from: functions of the
:class:`Task`.
"""

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import GCN

from torch_geometric_vgcn.models import GraphSAGE, PropagatedMLP
from torch_geometric_vgcn.nearest import Metric
from torch_geometric_vgcn.recipe.task import Task

HIDDEN = 64


def no_graph(task: Task) -> Tensor:
    r"""No edge at all."""
    return torch.empty(2, 0, dtype=torch.long, device=task.x.device)


def given_graph(task: Task) -> Tensor:
    r"""The graph of the data."""
    if task.edge_index is None:
        raise ValueError(
            "'data' must have a graph, 'edge_index', for 'members' with the "
            'source given_graph: without one, use nearest_neighbors'
        )
    return task.edge_index


def nearest_neighbors(
    task: Task, k: int | None = None, metric: Metric | None = None
) -> Tensor:
    r"""The nodes of the nearest features.

    Args:
        task (Task): The prepared data.
        k (int, optional): The number of neighbours. (default: that of the
            kind of features)
        metric (Metric, optional): What makes nodes near to each other.
            (default: that of the kind of features)
    """
    k = task.features.k if k is None else k
    metric = task.features.metric if metric is None else metric
    return task.neighbors(k, metric)


def more_neighbors(task: Task) -> Tensor:
    r"""Twice as many nodes of the nearest features."""
    return nearest_neighbors(task, 2 * task.features.k)


def propagated_mlp(task: Task) -> Module:
    r"""A node's own classes, propagated over the graph."""
    return PropagatedMLP(
        task.num_features,
        HIDDEN,
        task.num_classes,
        input_dropout=task.features.input_dropout,
    )


def graph_sage(task: Task) -> Module:
    r"""A node's own features apart from those of its neighbours, for graphs
    in which neighbours differ.
    """
    return GraphSAGE(
        task.num_features,
        HIDDEN,
        task.num_classes,
        task.features.input_dropout,
    )


def gcn(task: Task) -> Module:
    r"""A plain GCN of two layers."""
    net = GCN(task.num_features, HIDDEN, 2, task.num_classes, dropout=0.5)
    net.takes_sparse_features = True
    return net
