from dataclasses import dataclass
from math import inf
from numbers import Real
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.checks import check_count, check_positive


@dataclass(frozen=True)
class Settings:
    r"""The settings of a training run, checked.

    Args:
        epochs (int): The maximum number of epochs.
        lr (float): The learning rate of the network's weights.
        logit_lr (float): The learning rate of the posterior.
        weight_decay (float): The L2 penalty on the network's weights.
        num_samples (int): The number of graphs per step.
        patience (int): After how many epochs without improvement to stop.
        checkpoint (str or Path, optional): The file to save the run to.
        checkpoint_every (int): After how many epochs to save.
        progress (bool): Whether to show a progress bar.
    """

    epochs: int
    lr: float
    logit_lr: float
    weight_decay: float
    num_samples: int
    patience: int
    checkpoint: str | Path | None
    checkpoint_every: int
    progress: bool

    def __post_init__(self) -> None:
        check_count(self.epochs, 'epochs', least=1)
        check_count(self.num_samples, 'num_samples', least=1)
        check_count(self.patience, 'patience', least=1)
        check_count(self.checkpoint_every, 'checkpoint_every', least=1)
        _check_number(self.lr, 'lr')
        check_positive(self.lr, 'lr')
        _check_number(self.logit_lr, 'logit_lr')
        check_positive(self.logit_lr, 'logit_lr')
        _check_number(self.weight_decay, 'weight_decay')
        if not 0 <= self.weight_decay < inf:
            raise ValueError(
                "'weight_decay' must be a finite number of at least 0, "
                f'got {self.weight_decay}'
            )
        if not isinstance(self.checkpoint, (str, Path, type(None))):
            raise TypeError(
                "'checkpoint' must be a str or a Path, "
                f'got {self.checkpoint!r}'
            )
        if not isinstance(self.progress, bool):
            raise TypeError(
                f"'progress' must be a bool, got {self.progress!r}"
            )

    def fingerprint(self) -> dict[str, str]:
        r"""The settings that determine the result of an epoch."""
        return {
            'lr': repr(float(self.lr)),
            'logit_lr': repr(float(self.logit_lr)),
            'weight_decay': repr(float(self.weight_decay)),
            'num_samples': repr(self.num_samples),
            'patience': repr(self.patience),
        }


def _check_number(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"'{name}' must be a number, got {value!r}")
