r"""The data as members see them."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.read_columns import as_list
from torch_geometric_vgcn.nearest import Metric
from torch_geometric_vgcn.nearest.approximate import search_for
from torch_geometric_vgcn.objective import KL, Objective, SemiSupervisedELBO
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.recipe.features import Features, features_of
from torch_geometric_vgcn.recipe.labels import labels_of
from torch_geometric_vgcn.transforms import KNNGraph
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    check_kind,
    count_nodes,
    observed_edges,
    undirected_graph,
)

MakeNetwork = Callable[['Task'], Module]
MakePrior = Callable[['Task', Tensor], Prior]
MakePosterior = Posterior | Callable[[], Posterior]
MakeObjective = Callable[[KL], Objective]


@dataclass(frozen=True)
class Task:
    r"""The prepared data, from which a member makes its learner.

    Args:
        x (Tensor): The scaled features, dense, of shape :obj:`[N, F]`.
        y (Tensor): The labels, :obj:`-1` where unknown.
        train (Tensor): The nodes to train with.
        val (Tensor, optional): The nodes to validate with. (default:
            :obj:`None`, folds of the others)
        num_classes (int): The number of classes.
        class_share (Tensor): How frequent each class is, in any unit.
        features (Features): How features were scaled and are compared.
        edge_index (Tensor, optional): The given graph, in both directions and
            without self-loops. (default: :obj:`None`)
        network (Callable, optional): Makes the network of members that have
            none of their own. (default: :obj:`None`)
        warmup (int, optional): That of the bound. (default: :obj:`50`)
        scaler (Callable, optional): How the features of further nodes are
            scaled. (default: :obj:`None`)
        num_columns (int, optional): How many features they have before that.
            (default: :obj:`0`)
        prior (Callable, optional): Makes the prior of learned members.
            (default: :obj:`None`, one of their own)
        posterior (Posterior or Callable, optional): Theirs, or what makes it.
            (default: :obj:`None`, that of a learner)
        bound (Callable, optional): Makes the objective of all members.
            (default: :obj:`None`, :class:`SemiSupervisedELBO`)
        node_names (Sequence, optional): The names of the nodes.
            (default: :obj:`None`, numbers)
    """

    x: Tensor
    y: Tensor
    train: Tensor
    val: Tensor | None
    num_classes: int
    class_share: Tensor
    features: Features
    edge_index: Tensor | None = None
    network: MakeNetwork | None = None
    warmup: int = 50
    scaler: Callable[[Tensor], Tensor] | None = None
    num_columns: int = 0
    prior: MakePrior | None = None
    posterior: MakePosterior | None = None
    bound: MakeObjective | None = None
    node_names: Sequence[str | int] | None = None
    # Shared by the tasks of all folds:
    known: dict[Any, Any] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)

    @property
    def quantity(self) -> bool:
        r"""Whether labels are numbers instead of classes."""
        return self.y.is_floating_point()

    @property
    def value(self) -> Tensor:
        r"""The labels as what is expected of nodes, of shape
        :obj:`[N, C]`, with zeros where unknown.
        """
        if self.quantity:
            return self.y.nan_to_num(0.0).to(self.x.dtype).unsqueeze(1)
        known = torch.eye(self.num_classes + 1, self.num_classes)
        return known.to(self.x)[self.y]  # the last row for -1

    @property
    def num_features(self) -> int:
        return self.x.size(1)

    @cached_property
    def fast_x(self) -> Tensor:
        r"""The features as :class:`PropagatedMLP` multiplies them fastest."""
        return self.features.layout(self.x)

    def neighbors(self, k: int, metric: Metric) -> Tensor:
        r"""The graph of nearest neighbours, computed once."""
        key = k, repr(metric)
        if key not in self.known:
            k = min(k, self.num_nodes - 1)
            search = search_for(self.num_nodes)
            graph = KNNGraph(k, metric=metric, search=search)
            graph = graph(Data(x=self.x))
            self.known[key] = graph.edge_index
        return self.known[key]

    def objective(self, kl: KL) -> Objective:
        r"""The bound."""
        if self.bound is not None:
            bound = self.bound(kl)
            check_kind(bound, Objective, 'objective(kl)')
            return bound
        return SemiSupervisedELBO(
            kl, warmup=self.warmup, class_share=self.class_share
        )

    def make_posterior(self) -> Posterior | None:
        r"""A new posterior, or :obj:`None` for that of a learner."""
        if isinstance(self.posterior, Posterior):
            return deepcopy(self.posterior)
        if self.posterior is None:
            return None
        posterior = self.posterior()
        check_kind(posterior, Posterior, 'posterior()')
        return posterior

    def split(self, train: Tensor, val: Tensor | None) -> 'Task':
        r"""The same with other nodes for training and validation."""
        return replace(self, train=train, val=val)


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
    features = features_of(x) if features is None else features
    called, names = 'node_names', node_names
    if names is None:
        called, names = 'data.node_names', data.get('node_names')
    if names is not None:
        names = _names(names, num_nodes, called)
    edge_index = _graph(data, graph, num_nodes, names)
    scaler = features.reduced(x)
    num_classes, share = 1, torch.ones(1)
    if not y.is_floating_point():
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
            f"'data.x' must have shape [{num_nodes}, F] with at least one "
            f'column, got {list(x.shape)}'
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
