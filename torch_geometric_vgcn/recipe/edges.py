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


@torch.no_grad()
def edges_of(
    learners: dict[str, list[Learner]], weight: dict[str, float], task: Task
) -> Edges:
    r"""All pairs that any member considers. Those of the given graph have the
    probabilities of :func:`right_edges`, by the classes that members without
    a graph predict. All others, and those of a graph that is too small for
    it, have the mean over the members that learn them, by their weights, or
    without weights if those have none; or one if no member learns them.
    """
    size = task.num_nodes
    known = [_pairs_of(r) for runs in learners.values() for r in runs]
    if task.edge_index is not None:
        known.append(_upper(task.edge_index))
    key = torch.cat([i[0] * size + i[1] for i in known]).unique()
    index = torch.stack([key // size, key % size])
    total = torch.zeros(2, 3, key.numel(), dtype=torch.double).to(key.device)
    for name, runs in learners.items():
        for learner in runs:
            if isinstance(learner, VariationalGraphLearner):
                i, j = _pairs_of(learner)
                place = torch.searchsorted(key, i * size + j)
                prior = learner.prior.logits.sigmoid().double()
                after = learner.edge_probs(features_for(learner, task))
                row = torch.stack([torch.ones_like(prior), prior, after])
                each = weight[name] / len(runs), 1 / len(runs)
                total[:, :, place] += torch.stack([w * row for w in each])
    # The second ones are without weights:
    count, prior, posterior = total[0].where(total[0, 0] > 0, total[1])
    prior, posterior = (
        (part / count).where(count > 0, 1.0).clamp(0, 1)
        for part in (prior, posterior)
    )
    given = torch.zeros_like(key, dtype=torch.bool)
    if task.edge_index is not None:
        i, j = _upper(task.edge_index)
        given[torch.searchsorted(key, i * size + j)] = True
        found = None
        if not task.quantity:
            prob = _classes(learners, task)
            found = right_edges(task.edge_index, task.x, prob)
        if found is not None:
            posterior[given], prior[given] = found[0].double(), found[1]
    return Edges(index, given, prior, posterior)


def _classes(learners: dict[str, list[Learner]], task: Task) -> Tensor | None:
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


def graph_of(edges: Edges, threshold: float) -> tuple[Tensor, Tensor]:
    r"""The edges that are at least so probable, in both directions."""
    kept = edges.posterior >= max(threshold, 1e-12)
    return to_undirected(edges.index[:, kept], edges.posterior[kept].float())


def table_of(
    edges: Edges, names: Sequence[str | int] | None = None
) -> dict[str, list]:
    r"""The columns of a table of all pairs, those first whose probability
    contradicts the given graph the most, with the names of nodes.
    """
    doubt = (edges.given.double() - edges.posterior).abs()
    order = doubt.argsort(descending=True, stable=True)
    source, target = edges.index[:, order].tolist()
    if names is not None:
        source = [names[node] for node in source]
        target = [names[node] for node in target]
    return {
        'source': source,
        'target': target,
        'given': edges.given[order].tolist(),
        'prior': edges.prior[order].tolist(),
        'posterior': edges.posterior[order].tolist(),
    }
