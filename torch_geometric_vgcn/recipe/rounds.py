from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_geometric_vgcn.recipe.labels import folds_of, halves_of
from torch_geometric_vgcn.recipe.run import Run, train
from torch_geometric_vgcn.recipe.scores import Score, scores_of
from torch_geometric_vgcn.utils import progress_bar

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

Runs = dict[str, list[Run]]


def train_members(
    model: VGCN, done: Runs, keep: Callable[[Runs], None] | None = None
) -> tuple[Runs, dict[str, Score], Tensor]:
    r"""Trains all members once, and those that have a weight again, and weighs
    them by labels of the held-out nodes, which are returned, too. After the
    time limit no training begins, except that of the first two members.

    Args:
        model (VGCN): The model.
        done (Dict[str, List[Run]]): What needn't be trained again.
        keep (Callable, optional): Is told of each run what there is now.
            (default: :obj:`None`)
    """
    task, effort, members = model.task, model.effort, model.members
    limit = inf if model.time_limit is None else model.time_limit
    end = perf_counter() + limit
    generator = torch.Generator().manual_seed(model.seed)
    folds: list[tuple[Tensor, Tensor]] = []
    held, rounds, stops = task.val, effort.runs, [task.train]
    if held is None:
        rounds = 1  # as each has one for each fold
        folds = folds_of(task.y, task.train, effort.folds, generator)
        held = torch.cat([task.train[:0], *(part for _, part in folds)])
    else:
        stops = halves_of(task.y, held, rounds, generator)
    runs: Runs = {}
    scores = {member.name: Score(weight=1.0) for member in members}
    hidden = not model.progress
    total = len(members) * rounds
    with progress_bar(total=total, disable=hidden, leave=False) as bar:
        for number in range(rounds):
            given = task, folds, stops[number % len(stops)], effort
            for member in members:
                name = member.name
                bar.set_postfix(member=name, refresh=False)
                known = [r for r in done.get(name, []) if r.number == number]
                late = perf_counter() > end and len(runs) > 1
                if scores[name].weight > 0 and (known or not late):
                    new = known or [train(member, *given, model.seed, number)]
                    runs[name] = runs.get(name, []) + new
                    if keep is not None and not known:
                        keep(runs)
                bar.update()
            # After the first round, by the half that told no one to stop:
            again = number == 0 and rounds > 1
            rows = runs[members[0].name][0].unseen if again else None
            members = [m for m in members if m.name in runs]
            scores = scores_of(runs, task.y[held], generator, rows)
    return runs, scores, held
