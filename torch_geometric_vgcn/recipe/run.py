r"""Members are trained, and predict labels that they haven't seen."""

from dataclasses import dataclass
from time import perf_counter
from zlib import crc32

import torch
from torch import Tensor

from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import GaussianPrediction
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.members import Learner, Member
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.utils import Seeded


@dataclass
class Run:
    r"""A member that was trained once.

    Args:
        number (int): Which of the member's runs this is.
        learner (VariationalGraphLearner or FixedGraph): Its learner.
        prob (Tensor): The class probabilities of all nodes.
        held (Tensor): Those of the held-out nodes.
        unseen (Tensor): Which of the held-out nodes didn't tell when to
            stop: on the others a member looks better than it is, the more so
            the more its predictions vary.
        seconds (float): How long training took.
    """

    number: int
    learner: Learner
    prob: Tensor
    held: Tensor
    unseen: Tensor
    seconds: float


def mean_prob(runs: list[Run]) -> Tensor:
    r"""The mean class probabilities of all nodes."""
    if len(runs) == 1:  # of a million rows, no copy
        return runs[0].prob
    return torch.stack([run.prob for run in runs]).mean(dim=0)


def held_out_prob(runs: list[Run]) -> Tensor:
    r"""The mean class probabilities of held-out nodes, of the runs that
    haven't seen them, or of all if there is none.
    """
    held = torch.stack([run.held for run in runs])
    weight = torch.stack([run.unseen for run in runs]).to(held)
    weight = weight.where(weight.sum(dim=0) > 0, 1.0).unsqueeze(-1)
    return (weight * held).sum(dim=0) / weight.sum(dim=0)


def train(
    member: Member,
    task: Task,
    folds: list[tuple[Tensor, Tensor]],
    stop: Tensor,
    effort: Effort,
    seed: int,
    number: int = 0,
) -> Run:
    r"""Trains a member, and predicts labels that it hasn't seen: those of the
    validation nodes, of which :obj:`stop` tell when to stop, or where there
    are none, those of each fold in turn by a model of the others. The same
    seed gives the same, whatever other members there are.
    """
    start = perf_counter()
    with Seeded(crc32(f'{seed} {number} {member.name}'.encode())):
        if task.val is not None:
            part = task.split(task.train, stop)
            learner, prob, _ = _trained(member, part, effort)
            held, unseen = prob[task.val], ~torch.isin(task.val, stop)
        else:
            parts: list[Tensor] = [task.x.new_empty(0, task.num_classes)]
            epochs: list[int] = []
            for nodes, other in folds:
                part = task.split(nodes, other)
                _, prob, count = _trained(member, part, effort)
                parts.append(prob[other])
                epochs.append(count)
            held = torch.cat(parts)
            unseen = torch.ones_like(held[:, 0], dtype=torch.bool)
            # There is no fold if each class has one label:
            epochs = sorted(epochs) or [effort.epochs // 2]
            count = epochs[len(epochs) // 2]
            learner, prob, _ = _trained(member, task, effort, count)
    seconds = perf_counter() - start
    return Run(number, learner, prob, held, unseen, seconds)


def _trained(
    member: Member, task: Task, effort: Effort, epochs: int | None = None
) -> tuple[Learner, Tensor, int]:
    r"""Trains on some labels and stops by others, if there are any. Returns
    the learner, the class probabilities of all nodes, and the steps taken.
    """
    learner = member.learner(task)
    x = features_for(learner, task)
    count = member.fit(learner, x, task, effort, epochs)
    prob = learner.predict(x, num_samples=effort.num_samples)
    if isinstance(prob, GaussianPrediction):
        prob = prob.mean
    return learner, prob.detach(), count


def features_for(learner: Learner, task: Task) -> Tensor:
    r"""Features as they are multiplied fastest, for networks that take sparse
    ones: others say so by an attribute.
    """
    takes_sparse = isinstance(learner.conv, PropagatedMLP) or getattr(
        learner.conv, 'takes_sparse_features', False
    )
    return task.fast_x if takes_sparse else task.x
