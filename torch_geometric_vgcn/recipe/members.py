from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import BernoulliKL, LogisticKL
from torch_geometric_vgcn.prior import EvidencePrior, Prior, SmoothedPrior
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.sources import (
    gcn,
    given_graph,
    graph_sage,
    nearest_neighbors,
    no_graph,
    propagated_mlp,
)
from torch_geometric_vgcn.recipe.task import MakeNetwork, Task
from torch_geometric_vgcn.training import fit, optimizers
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.utils import check_edge_index, check_kind
from torch_geometric_vgcn.utils.constraints import (
    NUMBER,
    PROBABILITY,
    Instance,
    Maker,
    checked,
)

Learner = VariationalGraphLearner | FixedGraph
Source = Callable[[Task], Tensor]

#: How the networks of members on the bound are trained.
LR, WEIGHT_DECAY, NUM_SAMPLES = 0.02, 5e-4, 3


class Member(ABC):
    r"""One of the models that :class:`VGCN` weighs against each other.

    Args:
        name (str): Its name, in tables.
        *sources (Callable): Where its graph comes from:
            :func:`given_graph`, :func:`nearest_neighbors`, both,
            :func:`no_graph` or any function of the :class:`Task`.
        network (Callable, optional): Makes its network from the
            :class:`Task`. (default: that of :class:`VGCN`)
    """

    @checked(name=Instance(str), network=Maker())
    def __init__(
        self,
        name: str,
        *sources: Source,
        network: MakeNetwork | None = None,
    ) -> None:
        if not sources:
            raise ValueError(f"'sources' of the member '{name}' are missing")
        for source in sources:
            Maker()(source, 'sources')
        self.name = name
        self.sources = sources
        self.network = network

    @abstractmethod
    def learner(self, task: Task) -> Learner:
        r"""A new learner."""

    def graph(self, task: Task) -> Tensor:
        r"""The edges of all sources."""
        edges, size = [], task.num_nodes
        for source in self.sources:
            index = source(task)
            told = f'{name_of(source)}(task)'
            check_edge_index(index, size, told, empty=True, loops=True)
            edges.append(index)
        return coalesce(torch.cat(edges, dim=1), num_nodes=size)

    def make_network(self, task: Task) -> Module:
        make = self.network or task.network or propagated_mlp
        network = make(task)
        check_kind(network, Module, 'network(task)')
        return network.to(task.x.device, task.x.dtype)

    def fit(
        self,
        learner: Learner,
        x: Tensor,
        task: Task,
        effort: Effort,
        epochs: int | None = None,
    ) -> int:
        r"""Trains a learner on the bound. Returns the number of steps.

        Args:
            learner (VariationalGraphLearner or FixedGraph): The learner.
            x (Tensor): The features.
            task (Task): The labels to train with, and to stop by.
            effort (Effort): How much time to take.
            epochs (int, optional): The number of steps, if there is no label
                to stop by. (default: :obj:`None`)
        """
        if task.val is not None:
            data = Data(x=x, y=task.y, train_mask=task.train)
            data.val_mask = task.val
            result = fit(
                learner,
                data,
                epochs=effort.epochs,
                lr=LR,
                weight_decay=WEIGHT_DECAY,
                num_samples=NUM_SAMPLES,
                patience=effort.patience,
                progress=False,
            )
            return result.best_epoch + 1
        assert epochs is not None
        steps = optimizers(
            learner, task.train.numel(), LR, weight_decay=WEIGHT_DECAY
        )
        learner.train()
        for _ in range(epochs):
            learner.zero_grad()
            out = learner(x, num_samples=NUM_SAMPLES)
            learner.objective(out, task.y, task.train).loss.backward()
            for optimizer in steps:
                optimizer.step()
        learner.eval()
        return epochs

    def __repr__(self) -> str:
        parts = [repr(self.name), *map(name_of, self.sources)]
        for name, parameter in signature(type(self)).parameters.items():
            value = getattr(self, name, None)
            if parameter.kind is parameter.KEYWORD_ONLY and value is not None:
                parts.append(f'{name}={name_of(value)}')
        return f'{type(self).__name__}({", ".join(parts)})'


class FixedMember(Member):
    r"""A network on a graph that is taken as it is: a control. The arguments
    are those of :class:`Member`.
    """

    def learner(self, task: Task) -> FixedGraph:
        objective = task.objective(BernoulliKL())
        return FixedGraph(
            self.make_network(task), self.graph(task), objective=objective
        )


class LearnedMember(Member):
    r"""A network on a graph with a learned logit for each edge. Further
    arguments are those of :class:`Member`.

    Args:
        rho1 (float, optional): How probable an edge of the sources is before
            training, without a prior of the user. (default: :obj:`0.1`)
        evidence (float, optional): How much similar features speak for an
            edge: the logits of a standard deviation. (default: :obj:`2.0`)
    """

    @checked(rho1=PROBABILITY, evidence=NUMBER)
    def __init__(
        self,
        name: str,
        *sources: Source,
        rho1: float = 0.1,
        evidence: float = 2.0,
        network: MakeNetwork | None = None,
    ) -> None:
        super().__init__(name, *sources, network=network)
        self.rho1 = rho1
        self.evidence = evidence

    def learner(self, task: Task) -> Learner:
        return VariationalGraphLearner(
            self.make_network(task),
            self.prior(task),
            task.make_posterior(),
            objective=task.objective(LogisticKL()),
        )

    def prior(self, task: Task) -> Prior:
        graph, size = self.graph(task), task.num_nodes
        if task.prior is None:
            # One for all runs and members with the same graph and trust, as
            # it is large and has nothing to train:
            key = digest(graph), self.rho1, self.evidence
            if key not in task.known:
                smoothed = SmoothedPrior(graph, size, self.rho1)
                task.known[key] = EvidencePrior(
                    smoothed, task.x, self.evidence, task.features.similarity
                )
            return task.known[key]
        prior = task.prior(task, graph)
        check_kind(prior, Prior, 'prior(task, edge_index)')
        if prior.num_nodes != size:
            raise ValueError(
                f"'prior(task, edge_index)' must be one of {size} nodes, got "
                f'{prior.num_nodes}'
            )
        return prior


def name_of(value: Any) -> str:
    r"""The name of a function, or anything else as it is written."""
    return getattr(value, '__name__', None) or repr(value)


def default_members(
    has_graph: bool, network: MakeNetwork | None = None
) -> list[Member]:
    r"""The members of :class:`VGCN`. The user's own network comes instead of
    those on the given graph as it is.
    """
    alone: Member = FixedMember('no graph', no_graph, network=propagated_mlp)
    near = LearnedMember('nearest neighbours', nearest_neighbors)
    if not has_graph:
        return [alone, near]
    both = given_graph, nearest_neighbors
    members = [  # the first two are trained whatever the time limit
        alone,
        LearnedMember('given graph', given_graph, rho1=0.99),
        near,
        LearnedMember('given graph, doubted', given_graph),
        LearnedMember('given graph and nearest neighbours', *both),
    ]
    if network is not None:
        return [*members, FixedMember('given graph, as it is', given_graph)]
    return [
        *members,
        FixedMember('given graph, GraphSAGE', given_graph, network=graph_sage),
        FixedMember('given graph, GCN', given_graph, network=gcn),
    ]


def check_members(members: Sequence[Member]) -> list[Member]:
    r"""Expects members with different names."""
    check_kind(members, (list, tuple), 'members')
    if not members:
        raise ValueError("'members' must list at least one member, got none")
    for number, member in enumerate(members):
        check_kind(member, Member, f'members[{number}]')
    names = [member.name for member in members]
    if len(set(names)) < len(names):
        raise ValueError(
            f"'members' must have different names, got {', '.join(names)}"
        )
    return list(members)
