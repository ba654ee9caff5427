from collections.abc import Callable
from math import inf
from time import perf_counter

import torch
from torch import Tensor

from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.held_out import Trained, train
from torch_geometric_vgcn.recipe.labels import folds_of, halves_of
from torch_geometric_vgcn.recipe.members import Member
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.recipe.weights import Weights, weights_of
from torch_geometric_vgcn.utils import progress_bar


def train_members(
    members: list[Member],
    task: Task,
    effort: Effort,
    seed: int,
    progress: bool,
    time_limit: float | None = None,
    train: Callable[..., Trained] = train,
) -> tuple[dict[str, Trained], Weights, Tensor]:
    r"""Trains all members once, and those that have a weight again, and weighs
    them by labels of the held-out nodes, which are returned, too. After so
    many seconds no training begins, except that of the first two members.
    """
    end = perf_counter() + (inf if time_limit is None else time_limit)
    generator = torch.Generator().manual_seed(seed)
    folds: list[tuple[Tensor, Tensor]] = []
    held, runs, stops = task.val, effort.runs, [task.train]
    if held is None:
        runs = 1  # as each has one for each fold
        folds = folds_of(task.y, task.train, effort.folds, generator)
        held = torch.cat([task.train[:0], *(part for _, part in folds)])
    else:
        stops = halves_of(task.y, held, runs, generator)
    trained: dict[str, Trained] = {}
    weight = {member.name: 1.0 for member in members}
    total = len(members) * runs
    with progress_bar(total=total, disable=not progress, leave=False) as bar:
        for run in range(runs):
            stop = stops[run % len(stops)]
            for member in members:
                name = member.name
                bar.set_postfix(member=name, refresh=False)
                late = perf_counter() > end and len(trained) > 1
                if weight[name] > 0 and not late:
                    new = train(member, task, folds, stop, effort, seed, run)
                    old = trained.get(name)
                    trained[name] = new if old is None else old + new
                bar.update()
            # After the first round, by the half that told no one to stop:
            again = run == 0 and runs > 1
            rows = trained[members[0].name].unseen[0] if again else None
            label = task.y[held]
            members = [m for m in members if m.name in trained]
            scores = weights_of(members, trained, label, generator, rows)
            weight = scores.weights
    return trained, scores, held
