from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.estimators.settings import Setting
from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Consistency
from torch_geometric_vgcn.training.fit import FullBatchRun
from torch_geometric_vgcn.training.result import evaluate
from torch_geometric_vgcn.training.settings import Settings

LR, PATIENCE = 0.02, 40
#: The number of graphs for prediction.
NUM_SAMPLES = 16


@dataclass
class Trained:
    r"""A model that was trained without some labels, and how it predicts
    them.

    Args:
        prob (Tensor): The predictions of all rows, of shape :obj:`[N, C]`.
        epochs (int): The number of epochs that were best.
        accuracy (float): The accuracy on the labels that were held out.
        nll (float): Their mean negative log-likelihood.
    """

    prob: Tensor
    epochs: int
    accuracy: float
    nll: float


def train(
    task: Task, setting: Setting, train: Tensor, val: Tensor, epochs: int
) -> Trained:
    r"""Trains with the labels of some rows until those of others are
    predicted best.
    """
    model = setting.model(task)
    run = _run(model, task, train, val, epochs)
    result = run.train()
    prob = model.predict(task.x, num_samples=NUM_SAMPLES)
    acc, nll = evaluate(prob, task.y, val)
    return Trained(prob, result.best_epoch + 1, acc, nll)


def train_for(
    task: Task, setting: Setting, rows: Tensor, epochs: int
) -> VariationalGraphLearner | FixedGraph:
    r"""Trains with the labels of all given rows, for so many epochs."""
    model = setting.model(task)
    run = _run(model, task, rows, rows, epochs)
    for epoch in range(epochs):
        run.train_epoch(epoch)
    return model.eval()


def _run(
    model: VariationalGraphLearner | FixedGraph,
    task: Task,
    train: Tensor,
    val: Tensor,
    epochs: int,
) -> FullBatchRun:
    data = Data(x=task.x, y=task.y, train_mask=train, val_mask=val)
    count = task.y[torch.cat([train, val]).unique()]
    count = count.bincount(minlength=task.num_classes)
    warmup = min(50, epochs // 2)
    term = Consistency(task.num_classes, warmup=warmup, class_share=count + 1)
    settings = Settings(
        epochs=epochs,
        lr=LR,
        logit_lr=LR,  # nothing of ClassPosterior has a gradient
        logit_optimizer=torch.optim.Adam,
        weight_decay=5e-4,
        num_samples=3,
        terms=[term],
        patience=PATIENCE,
        checkpoint=None,
        checkpoint_every=epochs,
        progress=False,
    )
    return FullBatchRun(model, data, settings)
