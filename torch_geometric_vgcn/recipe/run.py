r"""Members are trained, and predict labels that they haven't seen."""

from collections.abc import Iterable
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
        held_out (Tensor): The nodes by which it is judged.
        held_out_prob (Tensor): Their class probabilities, predicted without
            their labels.
        seconds (float): How long training took.
    """

    number: int
    learner: Learner
    prob: Tensor
    held_out: Tensor
    held_out_prob: Tensor
    seconds: float


def mean_prob(runs: list[Run]) -> Tensor:
    r"""The mean class probabilities of all nodes."""
    if len(runs) == 1:  # of a million rows, no copy
        return runs[0].prob
    return torch.stack([run.prob for run in runs]).mean(dim=0)


def held_out_of(runs: Iterable[list[Run]]) -> Tensor:
    r"""The nodes by which all of these members are judged."""
    common: Tensor | None = None
    for each in runs:
        nodes = torch.cat([run.held_out for run in each]).unique()
        if common is not None:
            nodes = nodes[torch.isin(nodes, common)]
        common = nodes
    assert common is not None
    return common


def held_out_prob(runs: list[Run], nodes: Tensor) -> Tensor:
    r"""The class probabilities of held-out nodes, which are in ascending
    order: the mean over the runs that are judged by them.
    """
    first = runs[0].held_out_prob
    total = first.new_zeros(nodes.numel(), first.size(1))
    count = first.new_zeros(nodes.numel(), 1)
    for run in runs:
        here = torch.isin(run.held_out, nodes)
        place = torch.searchsorted(nodes, run.held_out[here])
        total[place] += run.held_out_prob[here]
        count[place] += 1
    return total / count


def train(
    member: Member,
    task: Task,
    folds: list[tuple[Tensor, Tensor]],
    stop: Tensor,
    effort: Effort,
    seed: int,
    number: int = 0,
    train_on_val: bool = True,
) -> Run:
    r"""Trains a member, and predicts labels that it hasn't seen.

    Of the validation nodes, :obj:`stop` tell when to stop. They also judge
    the member if the others are trained on; otherwise the others judge it.
    Without validation nodes, each fold is predicted by a model of the others,
    and all labels are trained on in the end. The same seed gives the same,
    whatever other members there are.
    """
    start = perf_counter()
    with Seeded(crc32(f'{seed} {number} {member.name}'.encode())):
        if task.val is not None:
            nodes, held_out = task.train, stop
            others = task.val[~torch.isin(task.val, stop)]
            if train_on_val:
                nodes = torch.cat([nodes, others])
            elif others.numel() > 0:
                held_out = others
            part = task.split(nodes, stop)
            learner, prob, _ = _trained(member, part, effort)
            held_out_prob = prob[held_out]
        else:
            parts: list[Tensor] = [task.x.new_empty(0, task.num_classes)]
            epochs: list[int] = []
            for nodes, other in folds:
                part = task.split(nodes, other)
                _, prob, count = _trained(member, part, effort)
                parts.append(prob[other])
                epochs.append(count)
            held_out = torch.cat([task.train[:0], *(out for _, out in folds)])
            held_out_prob = torch.cat(parts)
            # There is no fold if each class has one label:
            epochs = sorted(epochs) or [effort.epochs // 2]
            count = epochs[len(epochs) // 2]
            learner, prob, _ = _trained(member, task, effort, count)
    seconds = perf_counter() - start
    return Run(number, learner, prob, held_out, held_out_prob, seconds)


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
