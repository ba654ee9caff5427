from dataclasses import dataclass
from time import perf_counter
from zlib import crc32

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.kernels.seeded import Seeded
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.members import Learner, Member
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.training import fit
from torch_geometric_vgcn.training.optimizers import make_optimizers

LR, WEIGHT_DECAY, NUM_SAMPLES = 0.02, 5e-4, 3


@dataclass
class Trained:
    r"""A trained member.

    Args:
        learners (List[VariationalGraphLearner or FixedGraph]): Its learner of
            each run.
        prob (Tensor): The class probabilities of all nodes, :obj:`[N, C]`.
        held_out (Tensor): Those of the held-out nodes, made without their
            labels, of shape :obj:`[n, C]`.
        seconds (float): How long it took.
    """

    learners: list[Learner]
    prob: Tensor
    held_out: Tensor
    seconds: float

    def __add__(self, other: 'Trained') -> 'Trained':
        r"""The mean over the runs of both."""
        own, others = len(self.learners), len(other.learners)
        share = others / (own + others)
        return Trained(
            self.learners + other.learners,
            torch.lerp(self.prob, other.prob, share),
            torch.lerp(self.held_out, other.held_out, share),
            self.seconds + other.seconds,
        )


def train(
    member: Member,
    task: Task,
    folds: list[tuple[Tensor, Tensor]],
    effort: Effort,
    seed: int,
    run: int = 0,
) -> Trained:
    r"""Trains a member, and predicts labels that it hasn't seen: those of the
    validation nodes, or where there are none those of each fold in turn, by a
    model of the others. The same seed gives the same, whatever other members
    there are.
    """
    start = perf_counter()
    seed = crc32(f'{seed} {run} {member.name}'.encode())
    with Seeded(seed):
        if task.val is not None:
            learner, prob, _ = _validated(member, task, effort)
            held_out = prob[task.val]
        else:
            parts: list[Tensor] = [task.x.new_empty(0, task.num_classes)]
            epochs: list[int] = []
            for nodes, held in folds:
                part = task.split(nodes, held)
                _, prob, epoch = _validated(member, part, effort)
                parts.append(prob[held])
                epochs.append(epoch + 1)
            held_out = torch.cat(parts)
            # There is no fold if each class has one label:
            count = (
                sorted(epochs)[len(epochs) // 2]
                if epochs
                else (effort.epochs // 2)
            )
            learner, prob = _on_all(member, task, effort, count)
    return Trained([learner], prob, held_out, perf_counter() - start)


def _validated(
    member: Member, task: Task, effort: Effort
) -> tuple[Learner, Tensor, int]:
    r"""Trains on some labels and stops by others."""
    learner = member.learner(task)
    x = features_for(learner, task)
    data = Data(x=x, y=task.y, train_mask=task.train, val_mask=task.val)
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
    return learner, predicted(learner, x, effort), result.best_epoch


def _on_all(
    member: Member, task: Task, effort: Effort, epochs: int
) -> tuple[Learner, Tensor]:
    r"""Trains on all labels, which leaves none to stop by."""
    learner = member.learner(task)
    x = features_for(learner, task)
    optimizers = make_optimizers(
        learner, [], LR, None, WEIGHT_DECAY, num_labels=task.train.numel()
    )
    learner.train()
    for _ in range(epochs):
        for optimizer in optimizers:
            optimizer.zero_grad()
        out = _outputs(learner, x)
        learner.objective(out, task.y, task.train).loss.backward()
        for optimizer in optimizers:
            optimizer.step()
    learner.eval()
    return learner, predicted(learner, x, effort)


def _outputs(learner: Learner, x: Tensor) -> Tensor:
    if isinstance(learner, VariationalGraphLearner):
        return learner(x, num_samples=NUM_SAMPLES)
    return learner(x)


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
    return learner.predict(x, num_samples=effort.num_samples).detach()
