r"""Pairs of nodes and how probable an edge between them is."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.analysis import right_edges
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe.members import Learner
from torch_geometric_vgcn.recipe.run import features_for
from torch_geometric_vgcn.recipe.task import Task

Learners = dict[str, list[Learner]]


@dataclass
class Edges:
    r"""Pairs of nodes with the probabilities of an edge.

    Args:
        index (Tensor): The pairs, the lower node first, :obj:`[2, P]`.
        given (Tensor): Whether they are edges of the given graph.
        prior (Tensor): Of given edges the estimated share of right ones, and
            of other pairs the probability of an edge before training.
        posterior (Tensor): The probability that a given edge is right, and
            that of an edge between other pairs after training.
    """

    index: Tensor
    given: Tensor
    prior: Tensor
    posterior: Tensor

    def graph(self, threshold: float) -> tuple[Tensor, Tensor]:
        r"""The edges that are at least so probable, in both directions."""
        kept = self.posterior >= max(threshold, 1e-12)
        prob = self.posterior[kept].float()
        return to_undirected(self.index[:, kept], prob)

    def table(
        self, names: Sequence[str | int] | None = None
    ) -> dict[str, list]:
        r"""The columns of a table of all pairs, those first whose probability
        contradicts the given graph the most, with the names of nodes.
        """
        doubt = (self.given.double() - self.posterior).abs()
        order = doubt.argsort(descending=True, stable=True)
        source, target = self.index[:, order].tolist()
        if names is not None:
            source = [names[node] for node in source]
            target = [names[node] for node in target]
        columns = {'source': source, 'target': target}
        for name in ('given', 'prior', 'posterior'):
            columns[name] = getattr(self, name)[order].tolist()
        return columns


@torch.no_grad()
def edges_of_members(
    learners: Learners, weight: dict[str, float], task: Task, *more: Tensor
) -> Edges:
    r"""All pairs that any member considers, and :obj:`more`. They have the
    mean probabilities over the members that learn them, by their weights, or
    without weights if those have none; or one if no member learns them. None
    counts as given.
    """
    size = task.num_nodes
    known = [_pairs_of(each) for runs in learners.values() for each in runs]
    key = torch.cat([i * size + j for i, j in [*known, *more]]).unique()
    count, prior, posterior = _sums(learners, weight, key, task)
    none = count == 0
    if bool(none.any()):
        alike = _sums(learners, dict.fromkeys(learners, 1.0), key, task)
        for total, other in zip((count, prior, posterior), alike, strict=True):
            total[none] = other[none]
    for total in (prior, posterior):
        total.div_(count).masked_fill_(count == 0, 1.0).clamp_(0, 1)
    index = torch.stack([key // size, key % size])
    given = torch.zeros_like(key, dtype=torch.bool)
    return Edges(index, given, prior, posterior)


def _sums(
    learners: Learners, weight: dict[str, float], key: Tensor, task: Task
) -> list[Tensor]:
    r"""Of each pair the weight of the members that learn it, and the weighted
    sums of their probabilities before and after training.
    """
    sums = [torch.zeros_like(key, dtype=torch.double) for _ in range(3)]
    for name, runs in learners.items():
        for learner in runs:
            share = weight[name] / len(runs)
            if share > 0 and isinstance(learner, VariationalGraphLearner):
                i, j = _pairs_of(learner)
                place = torch.searchsorted(key, i * task.num_nodes + j)
                sums[0][place] += share
                prior = learner.prior.logits.sigmoid().double()
                sums[1][place] += share * prior
                after = learner.edge_probs(features_for(learner, task))
                sums[2][place] += share * after.double()
    return sums


@torch.no_grad()
def edges_of(
    learners: Learners, weight: dict[str, float], task: Task
) -> Edges:
    r"""The same with the given graph, whose edges have the probabilities of
    :func:`right_edges`, by the classes that members without a graph predict,
    unless it is too small for that.
    """
    if task.edge_index is None:
        return edges_of_members(learners, weight, task)
    upper = _upper(task.edge_index)
    edges = edges_of_members(learners, weight, task, upper)
    (i, j), (low, high) = upper, edges.index
    size = task.num_nodes
    place = torch.searchsorted(low * size + high, i * size + j)
    edges.given[place] = True
    if not task.quantity:
        prob = _classes(learners, task)
        found = right_edges(task.edge_index, task.x, prob)
        if found is not None:
            edges.posterior[edges.given] = found[0].double()
            edges.prior[edges.given] = found[1]
    return edges


def _classes(learners: Learners, task: Task) -> Tensor | None:
    r"""Class probabilities that don't depend on the given graph. A member
    that was trained on an edge makes its nodes alike, right or not.
    """
    prob = [
        learner.predict(features_for(learner, task))
        for runs in learners.values()
        for learner in runs
        if isinstance(learner, FixedGraph) and learner.edge_index.numel() == 0
    ]
    if not prob:
        return None
    mean = torch.stack(prob).mean(dim=0)
    known = (task.y >= 0).nonzero().view(-1)
    mean[known] = one_hot(task.y[known], task.num_classes).to(mean)
    return mean


def _pairs_of(learner: Learner) -> Tensor:
    r"""The pairs of a member's graph."""
    if isinstance(learner, VariationalGraphLearner):
        return learner.prior.pairs.index
    return _upper(learner.edge_index)


def _upper(edge_index: Tensor) -> Tensor:
    r"""Each edge once, the lower node first."""
    return edge_index[:, edge_index[0] < edge_index[1]]
