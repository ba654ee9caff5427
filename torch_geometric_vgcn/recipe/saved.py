r"""What was trained, as tensors and plain values, and back."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.members import Member
from torch_geometric_vgcn.recipe.run import Run
from torch_geometric_vgcn.recipe.shown import decided
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.recipe.weights import Score
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.utils import Seeded

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

Runs = dict[str, list[Run]]


def state_of(
    model: VGCN,
    runs: Runs,
    scores: dict[str, Score] | None = None,
    held_out: Tensor | None = None,
) -> dict[str, Any]:
    r"""The state of a model; of one that isn't fitted yet without scores."""
    saved = {
        name: [
            {**vars(run), 'learner': run.learner.state_dict()} for run in each
        ]
        for name, each in runs.items()
    }
    return {
        'effort': asdict(model.effort),
        'seed': model.seed,
        'node_names': model.task.node_names,
        'fitted_to': _fitted_to(model),
        'runs': saved,
        'scores': scores and {n: asdict(s) for n, s in scores.items()},
        'held_out': held_out,
    }


def model_of(
    kind: type[VGCN],
    state: dict[str, Any],
    path: Path,
    data: Data,
    **given: Any,
) -> VGCN:
    r"""The fitted model of a state, from the same data.

    Args:
        kind (type): The class of the model.
        state (dict): The state.
        path (Path): The file that it comes from, for messages.
        data (torch_geometric.data.Data): The data.
        **given: The arguments of the model that aren't in the state.
    """
    if state['scores'] is None:
        raise ValueError(
            f"'path' must be a file of a fitted model, got '{path}', a "
            'checkpoint: fit(checkpoint=path) goes on from there'
        )
    if getattr(data, 'node_names', None) is None:
        given = {'node_names': state['node_names'], **given}
    given |= {'effort': Effort(**state['effort']), 'seed': state['seed']}
    model = kind(data, **given)
    scores = {n: Score(**score) for n, score in state['scores'].items()}
    held_out = state['held_out'].to(model.task.x.device)
    model._set(runs_of(model, state, path), scores, held_out)
    return model


def runs_of(model: VGCN, state: dict[str, Any], path: Path) -> Runs:
    r"""The runs of a state, of the same data and arguments as the model."""
    there, here = state['fitted_to'], _fitted_to(model)
    for name in {**here, **there}:
        was, now = there.get(name, 'none'), here.get(name, 'none')
        if was != now:
            raise ValueError(
                f"'{name}' must be that of '{path}', which is {was}, got {now}"
            )
    return {
        member.name: [
            _run(member, model.task, run, path)
            for run in state['runs'][member.name]
        ]
        for member in model.members
        if member.name in state['runs']
    }


def _run(member: Member, task: Task, state: dict[str, Any], path: Path) -> Run:
    with Seeded(0):  # for weights that don't stay
        learner = member.learner(task)
    try:
        learner.load_state_dict(state['learner'])
    except RuntimeError as error:
        raise ValueError(
            f"'members' must be those of '{path}', got another network or "
            f"posterior of '{member.name}' ({error})"
        ) from error
    parts: dict[str, Any] = {
        name: part.to(task.x.device) if isinstance(part, Tensor) else part
        for name, part in state.items()
    }
    parts['learner'] = learner.eval()
    return Run(**parts)


def _fitted_to(model: VGCN) -> dict[str, str]:
    r"""What the model is fitted to, and what was decided, in short."""
    task = model.task
    value = {
        'data.x': task.x,
        'data.y': task.y,
        'data.train_mask': task.train,
        'data.val_mask': task.val,
        'data.edge_index': task.edge_index,
    }
    out = {k: 'none' if v is None else digest(v) for k, v in value.items()}
    names = repr(task.node_names).encode()
    out['node_names'] = sha256(names).hexdigest()[:16]
    out |= dict(part.split('=', 1) for part in decided(model))
    return out | {'members': repr(model.members)}
