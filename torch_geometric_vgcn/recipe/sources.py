r"""Where the graphs of members come from: functions of the :class:`Task`."""

import torch
from torch import Tensor

from torch_geometric_vgcn.nearest import Metric
from torch_geometric_vgcn.recipe.task import Task


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
