from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Bound, Term
from torch_geometric_vgcn.training.data_run import DataRun
from torch_geometric_vgcn.training.optimizers import MakeOptimizer
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.training.settings import Settings


def fit(
    learner: VariationalGraphLearner | FixedGraph,
    data: Data,
    *,
    epochs: int = 500,
    lr: float = 0.01,
    logit_lr: float | None = None,
    logit_optimizer: MakeOptimizer | None = None,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    terms: Sequence[Term] = (),
    patience: int = 100,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 25,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner on one graph with Adam, and leaves it in the state of
    the best validation score (on ties, of the best likelihood): accuracy for
    classes, :math:`R^2` for :class:`Gaussian`, :math:`F_1` for
    :class:`MultiLabel`. It ends in evaluation mode.

    The same seed (:func:`torch_geometric.seed_everything`) gives the same
    result, also when the run was interrupted and is resumed from its
    checkpoint. A checkpoint is refused if the learner, the data or a setting
    isn't the same; only :obj:`epochs` may grow.

    Random numbers come from PyTorch's global generator, which all threads
    share and whose state is restored when a run is resumed: several runs at
    once are reproducible in a process for each, not in threads.

    Args:
        learner (VariationalGraphLearner or FixedGraph): The learner to train.
            Modules that were put into evaluation mode (frozen batch
            normalisation) stay in it, unless the whole learner is, as after
            another call.
        data (torch_geometric.data.Data): The data, with :obj:`x`, :obj:`y`,
            :obj:`train_mask` and :obj:`val_mask`. A mask is boolean, or a
            list of node indices.
        epochs (int, optional): The maximum number of steps.
            (default: :obj:`500`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): How far a step moves a free logit per nat
            of evidence, the gradient of the bound (momentum adds up to ten
            times as much), or the learning rate of :obj:`logit_optimizer`.
            (default: :obj:`0.1`, with a :obj:`logit_optimizer`
            :obj:`0.01`)
        logit_optimizer (Callable, optional): Makes the optimiser of all
            parameters of the posterior, from them and :obj:`lr`.
            (default: momentum SGD on the bound for free logits, whose steps
            are as large as the evidence, and Adam with the rate :obj:`lr` for
            all others)
        weight_decay (float, optional): The L2 penalty on the network's
            weights; the posterior has none. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs per step, in
            training and in validation. (default: :obj:`3`)
        terms (Sequence[Term], optional): Further terms of the loss, such as
            :obj:`[Consistency(num_classes)]`, for labels that are classes.
            The best epoch is one in which all have their full weight, if
            there is one. (default: none)
        patience (int, optional): After how many epochs without improvement
            to stop. (default: :obj:`100`)
        checkpoint (str or Path, optional): A file to save the run to, and to
            resume it from if it exists. (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`25`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
    """
    settings = Settings(
        epochs=epochs,
        lr=lr,
        logit_lr=logit_lr,
        logit_optimizer=logit_optimizer,
        weight_decay=weight_decay,
        num_samples=num_samples,
        terms=terms,
        patience=patience,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        progress=progress,
    )
    if not isinstance(learner, (VariationalGraphLearner, FixedGraph)):
        raise TypeError(
            "'learner' must be a VariationalGraphLearner or a FixedGraph, "
            f'got {type(learner).__name__}'
        )
    return FullBatchRun(learner, data, settings).train()


class FullBatchRun(DataRun):
    r"""Takes one step per epoch, on the whole graph."""

    learner: VariationalGraphLearner | FixedGraph

    def place(self, data: Data) -> None:
        for name in ('x', 'y', 'train_mask', 'val_mask'):
            device = data[name].device
            if device != self.device:
                raise ValueError(
                    f"'data.{name}' is on {device} and 'learner' on "
                    f'{self.device}, expected one device: move them with '
                    'data.to(device) and learner.to(device)'
                )

    def train(self) -> Fit:
        if isinstance(self.learner, FixedGraph):
            return super().train()
        with self.learner.unchanged(self.x):
            return super().train()

    def train_epoch(self, epoch: int) -> tuple[Bound, Tensor]:
        self.zero_grad()
        out = self.learner(self.x, num_samples=self.settings.num_samples)
        self.check_outputs(out)
        bound = self.learner.objective(out, self.y, self.train_nodes)
        terms = self.extra_loss(out, self.y, self.train_nodes)
        loss = bound.loss + terms
        self.check_finite(loss, epoch)
        loss.backward()
        self.step()
        return bound, terms

    def predict(self) -> Any:
        return self.learner.predict(
            self.x, num_samples=self.settings.num_samples
        )
