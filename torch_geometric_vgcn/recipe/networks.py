r"""The networks of members, each made from the prepared data."""

from torch.nn import Module
from torch_geometric.nn import GCN

from torch_geometric_vgcn.models import GraphSAGE, PropagatedMLP
from torch_geometric_vgcn.recipe.task import Task

HIDDEN = 64


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
