r"""The edges of all members, by their weights."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe.held_out import features_for
from torch_geometric_vgcn.recipe.members import Learner
from torch_geometric_vgcn.recipe.task import Task


@dataclass
class Edges:
    r"""Pairs of nodes with the probabilities of an edge.

    Args:
        index (Tensor): The pairs, the lower node first, :obj:`[2, P]`.
        given (Tensor): Whether they are edges of the given graph.
        prior (Tensor): Their probabilities before training.
        posterior (Tensor): Their probabilities after it.
    """

    index: Tensor
    given: Tensor
    prior: Tensor
    posterior: Tensor


@torch.no_grad()
def edges_of(
    learners: dict[str, list[Learner]], weight: dict[str, float], task: Task
) -> Edges:
    r"""The mean probability of each pair over members by their weights. An
    edge of a fixed graph has probability one, and a pair that a member
    doesn't know zero.
    """
    size = task.num_nodes
    parts = [
        (weight[name] / len(runs), *_of(learner, task))
        for name, runs in learners.items()
        for learner in runs
    ]
    known = [index for _, index, _, _ in parts]
    if task.edge_index is not None:
        known.append(_upper(task.edge_index))
    key = torch.cat([i[0] * size + i[1] for i in known]).unique()
    prior = torch.zeros(key.numel(), dtype=torch.double, device=key.device)
    posterior = prior.clone()
    for w, index, before, after in parts:
        place = torch.searchsorted(key, index[0] * size + index[1])
        prior[place] += w * before.double()
        posterior[place] += w * after.double()
    given = torch.zeros_like(key, dtype=torch.bool)
    if task.edge_index is not None:
        index = _upper(task.edge_index)
        given[torch.searchsorted(key, index[0] * size + index[1])] = True
    index = torch.stack([key // size, key % size])
    return Edges(index, given, prior.clamp(max=1), posterior.clamp(max=1))


def _of(learner: Learner, task: Task) -> tuple[Tensor, Tensor, Tensor]:
    r"""The pairs of a member, with their probabilities before and after."""
    if isinstance(learner, VariationalGraphLearner):
        x = features_for(learner, task)
        prior = learner.prior
        after = learner.edge_probs(x).detach()
        return prior.pairs.index, prior.logits.sigmoid(), after
    index = _upper(learner.edge_index)
    one = torch.ones(index.size(1), device=index.device)
    return index, one, one


def _upper(edge_index: Tensor) -> Tensor:
    r"""Each edge once, the lower node first."""
    return edge_index[:, edge_index[0] < edge_index[1]]


def graph_of(edges: Edges, threshold: float) -> tuple[Tensor, Tensor]:
    r"""The edges that are at least so probable, in both directions."""
    kept = edges.posterior >= max(threshold, 1e-12)
    return to_undirected(edges.index[:, kept], edges.posterior[kept].float())


def table_of(edges: Edges) -> dict[str, list]:
    r"""The columns of a table of all pairs, those first whose probability
    contradicts the given graph the most.
    """
    doubt = (edges.given.double() - edges.posterior).abs()
    order = doubt.argsort(descending=True, stable=True)
    source, target = edges.index[:, order].tolist()
    return {
        'source': source,
        'target': target,
        'given': edges.given[order].tolist(),
        'prior': edges.prior[order].tolist(),
        'posterior': edges.posterior[order].tolist(),
    }
