r"""Nodes that come after training."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.models import LabelPropagation
from torch_geometric_vgcn.nearest.exact import nearest_rows
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import EvidencePrior
from torch_geometric_vgcn.recipe.members import LearnedMember, Learner, Member
from torch_geometric_vgcn.recipe.sources import given_graph

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

#: How many nodes are predicted at a time.
BLOCK = 4096


@torch.no_grad()
def predict_unseen(model: VGCN, x: Tensor) -> dict[str, Tensor]:
    r"""What each member that needs no given graph expects of new nodes, or
    if all do, each of them

    .. math::
        \mathbf{m}_q = \frac{\mathbf{f}_q + \sum_j q_{qj}
        \mathbf{m}_j}{1 + \sum_j q_{qj}},

    from its output :math:`\mathbf{f}_q` for the node alone and what it
    expects of the nearest nodes of training. These don't notice the new ones,
    which don't see each other.

    Args:
        model (VGCN): The fitted model.
        x (Tensor): The scaled features of the new nodes, of shape
            :obj:`[Q, F]`.
    """
    task = model.task
    members = [m for m in model.members if m.name in model.learners_]
    served = [m for m in members if given_graph not in m.sources]
    weighed = [m for m in served if model.weights_[m.name] > 0]
    served = weighed or served or members
    joining = [m for m in served if isinstance(m, LearnedMember)]
    k = min(task.features.k, task.num_nodes)
    out: dict[str, list[Tensor]] = {member.name: [] for member in served}
    for block in x.split(BLOCK):
        if joining:
            distance, near = nearest_rows(task.x, block.to(task.x), k)
            like = task.features.of_distance(distance.double())
        for member in served:
            parts = []
            for learner in model.learners_[member.name]:
                own = _alone(learner, block.double())
                if isinstance(learner, VariationalGraphLearner):
                    there = model.prob_[member.name].double()[near]
                    edge = _logits(member, learner, like, own, near)
                    prob = edge.sigmoid().unsqueeze(-1)
                    own = (own + (prob * there).sum(1)) / (1 + prob.sum(1))
                parts.append(own)
            out[member.name].append(torch.stack(parts).mean(dim=0))
    return {name: torch.cat(parts) for name, parts in out.items()}


def _alone(learner: Learner, x: Tensor) -> Tensor:
    r"""What a network expects of nodes without any edge."""
    network = learner.conv
    if isinstance(network, LabelPropagation):
        return network.mean(network.alone(x))
    none = torch.empty(2, 0, dtype=torch.long, device=x.device)
    network = deepcopy(network).eval().double()
    return learner.likelihood.mean(network(x, none))


def _logits(
    member: Member,
    learner: VariationalGraphLearner,
    like: Tensor,
    own: Tensor,
    near: Tensor,
) -> Tensor:
    r"""The edges between new nodes and the nearest ones, as in training: by
    similarity, and by the classes of both ends.
    """
    prior = learner.prior
    assert isinstance(member, LearnedMember)
    out = torch.full_like(like, member.rho1).logit()
    if isinstance(prior, EvidencePrior):
        out = out + prior.weight * (like - prior.mean) / prior.deviation
    for part in learner.posterior.modules():
        if isinstance(part, ClassPosterior) and part.mixing.numel() > 0:
            there = part.prob.double()[near]
            ratio = (own @ part.mixing.double()).unsqueeze(1) * there
            out = out + ratio.sum(dim=-1).clamp(min=1e-6).log()
    return out
