from collections.abc import Sequence
from numbers import Integral
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.read_columns import as_list
from torch_geometric_vgcn.recipe.features import Features, features_of
from torch_geometric_vgcn.recipe.labels import labels_of
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    count_nodes,
    observed_edges,
    undirected_graph,
)


def prepare(
    data: Data,
    features: Features | None = None,
    graph: Any = None,
    node_names: Any = None,
    quantity: bool = False,
    **parts: Any,
) -> Task:
    r"""Checks the data, and prepares them for all members. The data
    themselves stay as they are.

    Args:
        data (torch_geometric.data.Data): The data.
        features (Features, optional): How features are scaled and compared.
            (default: decided by their values)
        graph (Any, optional): The graph, if it isn't in the data.
        node_names (Sequence, optional): The names of the nodes.
        quantity (bool, optional): Whether labels are quantities.
            (default: :obj:`False`)
        **parts: The user's own parts of members, as in :class:`Task`.
    """
    if not isinstance(data, Data):  # HeteroData isn't one either
        raise TypeError(
            "'data' must be one torch_geometric.data.Data with x and y, such "
            'as dataset[0], or Data(x=..., y=...) for a table, got '
            f'{type(data).__name__}'
        )
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
    called, names = 'node_names', node_names
    if names is None:
        called, names = 'data.node_names', data.get('node_names')
    names = None if names is None else _names(names, num_nodes, called)
    edge_index = _graph(data, graph, num_nodes, names)
    scaler = features.reduced(x)
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
        None if edge_index is None else edge_index.to(x.device),
        scaler=scaler,
        num_columns=x.size(1),
        node_names=names,
        **parts,
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


def _graph(
    data: Data, graph: Any, num_nodes: int, names: Sequence[Any] | None
) -> Tensor | None:
    r"""The given graph in both directions, or :obj:`None` without edges."""
    name, own = 'data.edge_index', observed_edges(data, empty=True)
    if graph is None:
        graph, names = own, None  # which has numbers
    elif own is None or own.numel() == 0:
        name = 'graph'
    else:
        raise ValueError(
            "'graph' must be None if 'data' has a graph of its own, got "
            f'{type(graph).__name__}: choose one of them (data.edge_index = '
            'None)'
        )
    if graph is None:
        return None
    edge_index = undirected_graph(graph, num_nodes, name, names)
    # Many data sets without a graph have an empty one:
    return edge_index if edge_index.numel() > 0 else None


def _names(names: Any, num_nodes: int, called: str) -> list[str | int]:
    r"""The names of the nodes, which are different."""
    names = as_list(names, f"'{called}'")
    if len(names) != num_nodes:
        raise ValueError(
            f"'{called}' must have one name for each of the {num_nodes} "
            f'nodes, got {len(names)}'
        )
    known: dict[str | int, None] = {}
    for name in names:
        if not isinstance(name, (str, Integral)) or isinstance(name, bool):
            raise TypeError(
                f"'{called}' must be texts or whole numbers, got {name!r}: "
                'str(name) makes a text of anything else'
            )
        if name in known:
            raise ValueError(
                f"'{called}' must be different, got {name!r} twice"
            )
        # Types of NumPy can't be saved:
        known[str(name) if isinstance(name, str) else int(name)] = None
    return list(known)
