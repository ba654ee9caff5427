import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch_geometric_vgcn.objective import Term
from torch_geometric_vgcn.training.fingerprint import as_text
from torch_geometric_vgcn.training.optimizers import (
    MakeOptimizer,
    check_rates,
)
from torch_geometric_vgcn.utils import (
    check_count,
    check_flag,
    check_kind,
    check_path,
)


@dataclass(frozen=True)
class Settings:
    r"""The settings of a training run, checked.

    Args:
        epochs (int): The maximum number of epochs.
        lr (float): The learning rate of the network's weights.
        logit_lr (float, optional): The learning rate of the posterior.
        logit_optimizer (Callable, optional): Makes its optimiser.
        weight_decay (float): The L2 penalty on the network's weights.
        num_samples (int): The number of graphs per step.
        terms (Sequence[Term]): Further terms of the loss.
        patience (int): After how many epochs without improvement to stop.
        checkpoint (str or Path, optional): The file to save the run to.
        checkpoint_every (int): After how many epochs to save.
        progress (bool): Whether to show a progress bar.
    """

    epochs: int
    lr: float
    logit_lr: float | None
    logit_optimizer: MakeOptimizer | None
    weight_decay: float
    num_samples: int
    terms: Sequence[Term]
    patience: int
    checkpoint: str | Path | None
    checkpoint_every: int
    progress: bool

    def __post_init__(self) -> None:
        check_count(self.epochs, 'epochs', least=1)
        check_count(self.num_samples, 'num_samples', least=1)
        check_count(self.patience, 'patience', least=1)
        check_count(self.checkpoint_every, 'checkpoint_every', least=1)
        check_kind(self.terms, Sequence, 'terms')
        for term in self.terms:
            check_kind(term, Term, 'terms')
        if self.terms:
            warnings.warn(
                "'terms' is deprecated: what nodes without a label tell is a "
                'part of SemiSupervisedELBO, and terms of your own belong in '
                'an Objective or in your own loop',
                DeprecationWarning,
                stacklevel=4,
            )
        check_rates(
            self.lr, self.logit_lr, self.weight_decay, self.logit_optimizer
        )
        if self.checkpoint is not None:
            check_path(self.checkpoint, 'checkpoint')
        check_flag(self.progress, 'progress')

    def fingerprint(self) -> dict[str, str]:
        r"""The settings that determine the result of an epoch."""
        return {
            'lr': repr(float(self.lr)),
            'logit_lr': repr(self.logit_lr and float(self.logit_lr)),
            'logit_optimizer': str(as_text(self.logit_optimizer)),
            'weight_decay': repr(float(self.weight_decay)),
            'num_samples': repr(self.num_samples),
            'patience': repr(self.patience),
        }
