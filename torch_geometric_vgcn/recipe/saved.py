r"""Fitted and unfinished models as files of tensors and plain values, without
pickle.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.held_out import Trained, train
from torch_geometric_vgcn.recipe.members import Learner, Member
from torch_geometric_vgcn.recipe.shown import decided
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.recipe.weights import Weights
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.utils import (
    Seeded,
    check_path,
    read_tensors,
    whole_file,
)

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

#: Changes with the layout of the files.
FORMAT = 2


def save_state(model: VGCN, path: str | os.PathLike) -> None:
    r"""Writes the file, whole or not at all."""
    state = {
        'effort': asdict(model.effort),
        'seed': model.seed,
        'node_names': model.task.node_names,
        'scores': asdict(model.scores_),
        'prob': model.prob_,
        'held_out': model.held_out_,
        'held_out_prob': model.held_out_prob_,
        'learners': {
            name: [learner.state_dict() for learner in runs]
            for name, runs in model.learners_.items()
        },
    }
    _write(model, check_path(path, 'path'), state)


def load_state(
    kind: type[VGCN],
    path: str | os.PathLike,
    data: Data,
    options: dict[str, Any],
) -> VGCN:
    r"""Reads what :func:`save_state` has written."""
    path = check_path(path, 'path')
    held = ('held_out', 'held_out_prob')
    keys = ('effort', 'seed', 'node_names', 'scores', 'prob', 'learners')
    state = _read(path, 'path', f'{kind.__name__}.save', *keys, *held)
    if getattr(data, 'node_names', None) is None:
        options = {'node_names': state['node_names'], **options}
    effort = Effort(**state['effort'])
    model = kind(data, **{**options, 'effort': effort, 'seed': state['seed']})
    _check_same(model, path, state)
    device = model.task.x.device
    learners = {
        member.name: _learners(
            member, model.task, state['learners'][member.name], path
        )
        for member in model.members
        if member.name in state['learners']
    }
    model._set(
        learners,
        {name: prob.to(device) for name, prob in state['prob'].items()},
        Weights(**state['scores']),
        *(state[name].to(device) for name in held),
    )
    return model


class Checkpoint:
    r"""Trains members, and keeps them in a file, from which those that were
    finished before an interruption are taken.

    Args:
        model (VGCN): The model.
        path (str or PathLike): The file.
    """

    def __init__(self, model: VGCN, path: str | os.PathLike) -> None:
        self.model, self.path = model, check_path(path, 'checkpoint')
        self.done: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            device = model.task.x.device
            state = _read(
                self.path, 'checkpoint', 'fit', 'done', device=device
            )
            _check_same(model, self.path, state)
            self.done = state['done']
        _write(model, self.path, {'done': self.done})  # or an error, now

    def train(self, member: Member, task: Task, *args: Any) -> Trained:
        r"""As :func:`train`, with the number of the run at the end."""
        key = f'{args[-1]} {member.name}'
        if key in self.done:
            saved = self.done[key]
            learners = _learners(member, task, saved['learners'], self.path)
            return Trained(**{**saved, 'learners': learners})
        trained = train(member, task, *args)
        states = [learner.state_dict() for learner in trained.learners]
        self.done[key] = {**vars(trained), 'learners': states}
        _write(self.model, self.path, {'done': self.done})
        return trained


def _write(model: VGCN, path: Path, state: dict[str, Any]) -> None:
    state |= {'format': FORMAT, 'fitted_to': _fingerprint(model)}
    with whole_file(path) as file:
        torch.save(state, file)


def _read(
    path: Path, name: str, writer: str, *keys: str, device: Any = 'cpu'
) -> dict[str, Any]:
    r"""A file with some keys, or an error that says which argument it is."""
    try:
        state = read_tensors(path, device)
        if not isinstance(state, dict) or state.get('format') != FORMAT:
            raise ValueError(f'not of format {FORMAT}')
        missing = {'fitted_to', *keys} - state.keys()
        if missing:
            raise ValueError(f'without {", ".join(sorted(missing))}')
    except ValueError as error:
        raise ValueError(
            f"'{name}' must be a file of {writer}, got '{path}', which is "
            f'damaged or another kind of file ({error})'
        ) from error
    return state


def _learners(
    member: Member, task: Task, states: list[dict[str, Any]], path: Path
) -> list[Learner]:
    r"""The learners of a member as they were."""
    out = []
    for state in states:
        with Seeded(0):  # for weights that don't stay
            learner = member.learner(task)
        try:
            learner.load_state_dict(state)
        except RuntimeError as error:
            raise ValueError(
                f"'members' must be those of '{path}', got another network "
                f"or posterior of '{member.name}' ({error})"
            ) from error
        out.append(learner.eval())
    return out


def _fingerprint(model: VGCN) -> dict[str, str]:
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


def _check_same(model: VGCN, path: Path, state: dict[str, Any]) -> None:
    there, here = state['fitted_to'], _fingerprint(model)
    for name in {**here, **there}:
        was, now = there.get(name, 'none'), here.get(name, 'none')
        if was != now:
            raise ValueError(
                f"'{name}' must be that of '{path}', which is {was}, got {now}"
            )
