from abc import ABC, abstractmethod
from collections.abc import Callable

from torch.nn import Module

from torch_geometric_vgcn.checks import (
    check_callable,
    check_kind,
    check_number,
    check_probability,
)
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import BernoulliKL, LogisticKL
from torch_geometric_vgcn.prior import EvidencePrior, SmoothedPrior
from torch_geometric_vgcn.recipe.networks import (
    gcn,
    graph_sage,
    propagated_mlp,
)
from torch_geometric_vgcn.recipe.sources import (
    GivenGraph,
    NearestNeighbors,
    NoGraph,
    Source,
)
from torch_geometric_vgcn.recipe.task import Task

Learner = VariationalGraphLearner | FixedGraph
MakeNetwork = Callable[[Task], Module]


class Member(ABC):
    r"""One of the models that :class:`VGCN` weighs against each other.

    Args:
        name (str): Its name, in tables.
        source (Source): Where its graph comes from.
        network (Callable, optional): Makes its network from the
            :class:`Task`. (default: that of :class:`VGCN`)
    """

    def __init__(
        self, name: str, source: Source, network: MakeNetwork | None = None
    ) -> None:
        check_kind(name, str, 'name')
        check_kind(source, Source, 'source')
        check_callable(network, 'network')
        self.name = name
        self.source = source
        self.network = network

    #: How much the member counts before any label is held out, relative to
    #: the others.
    prior = 1.0

    @abstractmethod
    def learner(self, task: Task) -> Learner:
        r"""A new learner."""

    def check(self, task: Task) -> None:
        r"""Raises an error if there is no such graph."""
        self.source.check(task)

    def make_network(self, task: Task) -> Module:
        make = self.network or task.network or propagated_mlp
        network = make(task)
        check_kind(network, Module, 'network(task)')
        return network.to(task.x.device, task.x.dtype)

    @property
    def settings(self) -> dict[str, str]:
        r"""What :func:`repr` shows of it."""
        network = self.network
        if network is None:
            return {}
        return {'network': getattr(network, '__name__', repr(network))}

    def __repr__(self) -> str:
        more = [f', {name}={value}' for name, value in self.settings.items()]
        kind = type(self).__name__
        return f'{kind}({self.name!r}, {self.source!r}{"".join(more)})'


class FixedMember(Member):
    r"""A network on a graph that is taken as it is: a control.

    Args:
        name (str): Its name, in tables.
        source (Source): Where its graph comes from.
        network (Callable, optional): Makes its network from the
            :class:`Task`. (default: that of :class:`VGCN`)
    """

    def learner(self, task: Task) -> FixedGraph:
        network, objective = self.make_network(task), BernoulliKL()
        return FixedGraph(
            network, self.source(task), objective=task.objective(objective)
        )


class LearnedMember(Member):
    r"""A network on a graph that is learned, with a learned logit for each
    edge of its source.

    Args:
        name (str): Its name, in tables.
        source (Source): Where its graph comes from.
        rho1 (float, optional): How probable an edge of the source is at
            first. (default: :obj:`0.1`)
        evidence (float, optional): How much similar features speak for an
            edge: the logits of a standard deviation. (default: :obj:`2.0`)
        network (Callable, optional): Makes its network from the
            :class:`Task`. (default: that of :class:`VGCN`)
    """

    def __init__(
        self,
        name: str,
        source: Source,
        rho1: float = 0.1,
        evidence: float = 2.0,
        network: MakeNetwork | None = None,
    ) -> None:
        super().__init__(name, source, network)
        self.rho1 = check_probability(rho1, 'rho1')
        self.evidence = check_number(evidence, 'evidence')

    @property
    def settings(self) -> dict[str, str]:
        own = {'rho1': f'{self.rho1:g}', 'evidence': f'{self.evidence:g}'}
        return own | super().settings

    def learner(self, task: Task) -> VariationalGraphLearner:
        edge_index = self.source(task)
        prior = SmoothedPrior(edge_index, task.num_nodes, self.rho1)
        prior = EvidencePrior(
            prior, task.x, self.evidence, task.features.similarity
        )
        return VariationalGraphLearner(
            self.make_network(task),
            prior,
            objective=task.objective(LogisticKL()),
        )


def default_members(
    has_graph: bool, network: MakeNetwork | None = None
) -> list[Member]:
    r"""The members of :class:`VGCN`.

    Args:
        has_graph (bool): Whether a graph is given.
        network (Callable, optional): The user's own network, instead of those
            on the given graph as it is. (default: :obj:`None`)
    """
    given, near = GivenGraph(), NearestNeighbors()
    members: list[Member] = [
        FixedMember('no graph', NoGraph(), propagated_mlp),
        LearnedMember('nearest neighbours', near),
    ]
    if not has_graph:
        return members
    members += [
        LearnedMember('given graph', given, rho1=0.99),
        LearnedMember('given graph, doubted', given),
        LearnedMember('given graph and nearest neighbours', given + near),
    ]
    if network is not None:
        return [*members, FixedMember('given graph, as it is', given)]
    return [
        *members,
        FixedMember('given graph, GraphSAGE', given, graph_sage),
        FixedMember('given graph, GCN', given, gcn),
    ]
