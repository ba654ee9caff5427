r"""Fitted models as files of tensors and plain values, without pickle."""

from __future__ import annotations

import os
import zipfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.checks import check_path
from torch_geometric_vgcn.kernels.seeded import Seeded
from torch_geometric_vgcn.recipe.described import decided
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.members import Learner
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.recipe.weights import Weights
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.whole_file import whole_file

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe.vgcn import VGCN

#: Changes with the layout of the file.
FORMAT = 1


def save_state(model: VGCN, path: str | os.PathLike) -> None:
    r"""Writes the file, whole or not at all."""
    path = check_path(path, 'path')
    state = {
        'format': FORMAT,
        'effort': asdict(model.effort),
        'seed': model.seed,
        'decided': _decided(model),
        'data': _digests(model.task),
        'scores': asdict(model.scores_),
        'prob': model.prob_,
        'learners': {
            name: [learner.state_dict() for learner in runs]
            for name, runs in model.learners_.items()
        },
    }
    with whole_file(path) as file:
        torch.save(state, file)


def load_state(
    kind: type[VGCN],
    path: str | os.PathLike,
    data: Data,
    options: dict[str, Any],
) -> VGCN:
    r"""Reads what :func:`save_state` has written."""
    path = check_path(path, 'path')
    try:
        # PyTorch itself doesn't look at the checksums in the file:
        with zipfile.ZipFile(path) as file:
            damaged = file.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(f'bad checksum of {damaged}')
        state = torch.load(path, weights_only=True, map_location='cpu')
        if state['format'] != FORMAT:
            raise KeyError(f'format {state["format"]}')
        effort, seed = Effort(**state['effort']), state['seed']
        scores, prob = Weights(**state['scores']), state['prob']
        learners, was = state['learners'], state['decided']
        digests = state['data']
    except OSError:
        raise
    except Exception as error:  # whatever a foreign file may cause
        raise ValueError(
            f"'path' must be a file of {kind.__name__}.save, got '{path}', "
            'which is damaged or another kind of file '
            f'({type(error).__name__}: {error})'
        ) from error
    model = kind(data, **{**options, 'effort': effort, 'seed': seed})
    task = model.task
    for name, value in _digests(task).items():
        if digests[name] != value:
            raise ValueError(
                f"'data' must be what the model in '{path}' was fitted to, "
                f"got another 'data.{name}'"
            )
    _check_decided(was, _decided(model), path)
    made: dict[str, list[Learner]] = {}
    with Seeded(seed):
        for member in model.members:
            runs = made[member.name] = []
            for saved in learners[member.name]:
                learner = member.learner(task)
                learner.load_state_dict(saved)
                runs.append(learner.eval())
    prob = {name: value.to(task.x.device) for name, value in prob.items()}
    model._set(made, prob, scores)
    return model


def _decided(model: VGCN) -> list[str]:
    return [*decided(model), *map(repr, model.members)]


def _check_decided(was: list[str], now: list[str], path: Any) -> None:
    if was != now:
        other = sorted(set(was) ^ set(now))
        raise ValueError(
            "'members', 'network' and 'features' must be those of the model "
            f"in '{path}': give the same to load(), which differ in "
            f'{"; ".join(other)}'
        )


def _digests(task: Task) -> dict[str, str]:
    r"""What the model was fitted to, in short."""
    none = 'none'
    val, graph = task.val, task.edge_index
    return {
        'x': digest(task.x),
        'y': digest(task.y),
        'train_mask': digest(task.train),
        'val_mask': none if val is None else digest(val),
        'edge_index': none if graph is None else digest(graph),
    }
