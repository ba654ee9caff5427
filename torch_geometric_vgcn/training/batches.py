from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.training.checkpoint import Checkpoint
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.training.result import evaluate
from torch_geometric_vgcn.utils import (
    Inputs,
    check_attributes,
    check_features,
    count_nodes,
    selected_nodes,
    unchanged,
)
from torch_geometric_vgcn.utils.ranks import Ranks


@dataclass
class Batch:
    r"""The nodes of one step.

    Args:
        x (Tensor): Their features.
        y (Tensor): Their labels.
        train (Tensor): Which of them have a label that counts.
        position (Tensor, optional): Where their pairs stand among all.
            (default: :obj:`None`, all pairs)
        call (Dict[str, Any], optional): What else the learner is called with.
            (default: nothing, for the whole graph)
        objective (Dict[str, Any], optional): What else its objective is
            called with. (default: nothing)
        random (ContextManager, optional): What its forward and backward pass
            draw their random numbers from.
            (default: the global generator)
        last (bool, optional): Whether a step follows. Otherwise the gradients
            add up to those of the next batch. (default: :obj:`True`)
    """

    x: Tensor
    y: Tensor
    train: Tensor
    position: Tensor | None = None
    call: dict[str, Any] = field(default_factory=dict)
    objective: dict[str, Any] = field(default_factory=dict)
    random: AbstractContextManager[Any] = field(default_factory=nullcontext)
    last: bool = True


class WholeGraph:
    r"""The data of a training run, all nodes in one batch.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The learner.
        data (torch_geometric.data.Data): The data, on its device.
    """

    num_batches = 1
    precision = torch.float  # of sums over batches

    def __init__(
        self, learner: VariationalGraphLearner | FixedGraph, data: Data
    ) -> None:
        n = count_nodes(data)
        check_attributes(data, 'x', 'y', 'train_mask', 'val_mask')
        check_features(data.x, n, 'data.x')
        for name in ('train_mask', 'val_mask'):
            learner.likelihood.check_labels(
                data.y, data[name], n, f'data.{name}'
            )
        self.learner: Any = learner
        self.device = device_of(learner)
        self.x, self.y = data.x, data.y
        self.train = selected_nodes(data.train_mask, n)
        self.val = selected_nodes(data.val_mask, n)
        self.place(data)
        self.labelled = torch.cat([self.train, self.val]).unique()
        self._inputs = Inputs()

    @property
    def num_labels(self) -> int:
        r"""The number of training labels of all processes."""
        return self.train.numel()

    def place(self, data: Data) -> None:
        r"""Expects the data on the learner's device."""
        for name in ('x', 'y', 'train_mask', 'val_mask'):
            device = data[name].device
            if device != self.device:
                raise ValueError(
                    f"'data.{name}' is on {device} and 'learner' on "
                    f'{self.device}, expected one device: move them with '
                    'data.to(device) and learner.to(device)'
                )

    def __iter__(self) -> Iterator[Batch]:
        r"""The batches of one epoch."""
        yield Batch(self.x, self.y, self.train)

    def loss(self, bound: Bound) -> Tensor:
        r"""The loss of a batch."""
        return bound.loss

    def predict(self, num_samples: int) -> Any:
        r"""The predictions for all nodes."""
        return self.learner.predict(self.x, num_samples=num_samples)

    def validate(self, num_samples: int, ranks: Ranks) -> tuple[float, float]:
        r"""The validation score and negative log-likelihood, the same in all
        processes, so that all choose the same best epoch.
        """
        return ranks.from_first(
            lambda: evaluate(
                self.predict(num_samples),
                self.y,
                self.val,
                self.learner.likelihood,
            )
        )

    def checkpoint(
        self, path: str | Path, fingerprint: dict[str, str], run: Any
    ) -> Any:
        r"""What a run is saved to."""
        return Checkpoint(path, fingerprint)

    def unchanged(self) -> AbstractContextManager[None]:
        r"""During the run, the features stay as they are."""
        return unchanged(self.x)

    def check_outputs(self, out: Tensor) -> None:
        r"""Raises an error if the network has too few outputs, also for the
        labels of validation.
        """
        check, n = self.learner.likelihood.check_labels, self.y.size(0)
        self._inputs.check_labels(
            check, self.y, self.labelled, n, out.size(-1)
        )

    def fingerprint(self) -> dict[str, str]:
        r"""The data, by readable names."""
        return {
            'batches': type(self).__name__,
            'data.x': digest(self.x),
            'data.y': digest(self.y),
            'data.train_mask': digest(self.train),
            'data.val_mask': digest(self.val),
        }

    def state_dict(self) -> dict[str, Any]:
        r"""What the batches to come depend on."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        r"""Resumes from a state."""


class BatchSource(ABC):
    r"""A loader that makes the batches of a training run by itself."""

    @abstractmethod
    def batches(self, learner: Module, data: Any, ranks: Ranks) -> WholeGraph:
        r"""The batches that :func:`fit` trains a learner on."""


def device_of(learner: Module) -> torch.device:
    r"""The device of a learner, which must be one for all its parts."""
    places = {
        tensor.device: name
        for name, tensor in [
            *learner.named_buffers(),
            *learner.named_parameters(),
        ]
    }
    if len(places) > 1:
        where = ', '.join(f"'{name}' on {d}" for d, name in places.items())
        raise ValueError(
            f"'learner' must be on one device, got {where}: move it with "
            'learner.to(device)'
        )
    return next(iter(places), torch.device('cpu'))
