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
class Trained:
    r"""A trained member, with one entry for each run.

    Args:
        learners (List[VariationalGraphLearner or FixedGraph]): Its learners.
        probs (List[Tensor]): The class probabilities of all nodes.
        held (List[Tensor]): Those of the held-out nodes.
        unseen (List[Tensor]): Which of the held-out nodes didn't tell when to
            stop: on the others a member looks better than it is, the more so
            the more its predictions vary.
        seconds (float): How long training took.
    """

    learners: list[Learner]
    probs: list[Tensor]
    held: list[Tensor]
    unseen: list[Tensor]
    seconds: float

    def __add__(self, other: 'Trained') -> 'Trained':
        r"""The runs of both."""
        return Trained(
            self.learners + other.learners,
            self.probs + other.probs,
            self.held + other.held,
            self.unseen + other.unseen,
            self.seconds + other.seconds,
        )

    @property
    def prob(self) -> Tensor:
        r"""The mean class probabilities of all nodes."""
        return torch.stack(self.probs).mean(dim=0)

    @property
    def held_out(self) -> Tensor:
        r"""The mean class probabilities of held-out nodes, of the runs that
        haven't seen them, or of all if there is none.
        """
        weight = torch.stack(self.unseen).to(self.held[0])
        weight = weight.where(weight.sum(dim=0) > 0, 1.0).unsqueeze(-1)
        total = (weight * torch.stack(self.held)).sum(dim=0)
        return total / weight.sum(dim=0)


def train(
    member: Member,
    task: Task,
    folds: list[tuple[Tensor, Tensor]],
    stop: Tensor,
    effort: Effort,
    seed: int,
    run: int = 0,
) -> Trained:
    r"""Trains a member, and predicts labels that it hasn't seen: those of the
    validation nodes, of which :obj:`stop` tell when to stop, or where there
    are none, those of each fold in turn by a model of the others. The same
    seed gives the same, whatever other members there are.
    """
    start = perf_counter()
    seed = crc32(f'{seed} {run} {member.name}'.encode())
    with Seeded(seed):
        if task.val is not None:
            part = task.split(task.train, stop)
            learner, prob, _ = _trained(member, part, effort)
            held_out = prob[task.val]
            unseen = ~torch.isin(task.val, stop)
        else:
            parts: list[Tensor] = [task.x.new_empty(0, task.num_classes)]
            epochs: list[int] = []
            for nodes, held in folds:
                part = task.split(nodes, held)
                _, prob, count = _trained(member, part, effort)
                parts.append(prob[held])
                epochs.append(count)
            held_out = torch.cat(parts)
            unseen = torch.ones_like(held_out[:, 0], dtype=torch.bool)
            # There is no fold if each class has one label:
            count = (
                sorted(epochs)[len(epochs) // 2]
                if epochs
                else (effort.epochs // 2)
            )
            learner, prob, _ = _trained(member, task, effort, count)
    seconds = perf_counter() - start
    return Trained([learner], [prob], [held_out], [unseen], seconds)


def _trained(
    member: Member, task: Task, effort: Effort, epochs: int | None = None
) -> tuple[Learner, Tensor, int]:
    r"""Trains on some labels and stops by others, if there are any."""
    learner = member.learner(task)
    x = features_for(learner, task)
    count = member.fit(learner, x, task, effort, epochs)
    return learner, predicted(learner, x, effort), count


def features_for(learner: Learner, task: Task) -> Tensor:
    r"""Features as they are multiplied fastest, for networks that take sparse
    ones: others say so by an attribute.
    """
    takes_sparse = isinstance(learner.conv, PropagatedMLP) or getattr(
        learner.conv, 'takes_sparse_features', False
    )
    return task.fast_x if takes_sparse else task.x


def predicted(learner: Learner, x: Tensor, effort: Effort) -> Tensor:
    r"""The class probabilities of all nodes."""
    found = learner.predict(x, num_samples=effort.num_samples)
    if isinstance(found, GaussianPrediction):
        found = found.mean
    return found.detach()
