from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torch_geometric_vgcn.recipe.labels import folds_of
from torch_geometric_vgcn.recipe.run import Run, held_out_of, train
from torch_geometric_vgcn.recipe.weights import Score, scores_of
from torch_geometric_vgcn.utils import progress_bar

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

Runs = dict[str, list[Run]]


def train_members(
    model: VGCN, done: Runs, keep: Callable[[Runs], None] | None = None
) -> tuple[Runs, dict[str, Score], Tensor]:
    r"""Trains all members once, and those that have a weight again, and weighs
    them by the labels of held-out nodes. Returns these nodes, too. After the
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
    rounds, stops = effort.runs, [task.train]
    if task.val is None:
        rounds = 1  # as each has one for each fold
        folds = folds_of(task.y, task.train, effort.folds, generator)
    else:
        halves = folds_of(task.y, task.val, 2, generator)
        stops = list(halves[0]) if halves else [task.val]
    runs: Runs = {}
    scores: dict[str, Score] = {}
    kept = [member.name for member in members]
    hidden = not model.progress
    total = len(members) * rounds
    with progress_bar(total=total, disable=hidden, leave=False) as bar:
        for number in range(rounds):
            given = task, folds, stops[number % len(stops)], effort
            seed = model.seed, number, model.train_on_val
            for member in members:
                name = member.name
                bar.set_postfix(member=name, refresh=False)
                known = [r for r in done.get(name, []) if r.number == number]
                late = perf_counter() > end and len(runs) > 1
                if name in kept and (known or not late):
                    new = known or [train(member, *given, *seed)]
                    runs[name] = runs.get(name, []) + new
                    if keep is not None and not known:
                        keep(runs)
                bar.update()
            # The others keep what the first round said of them:
            here = {name: runs[name] for name in kept if name in runs}
            scores |= scores_of(here, task.y, generator)
            kept = [name for name in here if scores[name].weight > 0]
    return runs, scores, held_out_of(runs[name] for name in kept)
