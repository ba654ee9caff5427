from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.recipe.effort import Effort
from torch_geometric_vgcn.recipe.task import Task
from torch_geometric_vgcn.training import fit, optimizers

LR, WEIGHT_DECAY, NUM_SAMPLES = 0.02, 5e-4, 3


def fit_bound(
    learner: VariationalGraphLearner | FixedGraph,
    x: Tensor,
    task: Task,
    effort: Effort,
    epochs: int | None = None,
) -> int:
    r"""Trains a learner on its bound, and stops by the validation nodes of
    the task, or without any after so many steps. Returns their number.
    """
    if task.val is None:
        assert epochs is not None
        _fit_all(learner, x, task, epochs)
        return epochs
    data = Data(x=x, y=task.y, train_mask=task.train, val_mask=task.val)
    result = fit(
        learner,
        data,
        epochs=effort.epochs,
        lr=LR,
        weight_decay=WEIGHT_DECAY,
        num_samples=NUM_SAMPLES,
        patience=effort.patience,
        progress=False,
    )
    return result.best_epoch + 1


def _fit_all(
    learner: VariationalGraphLearner | FixedGraph,
    x: Tensor,
    task: Task,
    epochs: int,
) -> None:
    steps = optimizers(
        learner, task.train.numel(), LR, weight_decay=WEIGHT_DECAY
    )
    learner.train()
    for _ in range(epochs):
        learner.zero_grad()
        out = learner(x, num_samples=NUM_SAMPLES)
        learner.objective(out, task.y, task.train).loss.backward()
        for optimizer in steps:
            optimizer.step()
    learner.eval()
