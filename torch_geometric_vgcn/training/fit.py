from pathlib import Path

from torch_geometric.data import Data

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.training.run import Fit, Run, check_finite


def fit(
    learner: VariationalGraphLearner | FixedGraph,
    data: Data,
    *,
    epochs: int = 500,
    lr: float = 0.01,
    logit_lr: float = 0.01,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    patience: int = 100,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 25,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner on one graph with Adam, and leaves it in the state of
    the best validation accuracy (of equal ones, the best likelihood).

    The same seed (:func:`torch_geometric.seed_everything`) gives the same
    result, also when the run was cut off and goes on from its checkpoint.

    Args:
        learner (VariationalGraphLearner or FixedGraph): What to train.
        data (torch_geometric.data.Data): The data, with :obj:`x`, :obj:`y`,
            :obj:`train_mask` and :obj:`val_mask`.
        epochs (int, optional): The number of steps at most.
            (default: :obj:`500`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): The learning rate of the posterior.
            (default: :obj:`0.01`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights; the posterior has none. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs a step, in training
            as in validation. (default: :obj:`3`)
        patience (int, optional): After how many epochs without a better one
            to stop. (default: :obj:`100`)
        checkpoint (str or Path, optional): A file to save the run in, and to
            go on from if it's there. (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`25`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`True`)
    """
    settings = {
        'epochs': epochs,
        'lr': lr,
        'logit_lr': logit_lr,
        'weight_decay': weight_decay,
        'num_samples': num_samples,
        'patience': patience,
    }
    run = Run(learner, data, settings)
    train = data.train_mask.nonzero().view(-1)

    def train_epoch(epoch: int) -> Bound:
        run.zero_grad()
        out = learner(data.x, num_samples=num_samples)
        bound = learner.objective(out, data.y, train)
        check_finite(bound.loss, epoch)
        bound.loss.backward()
        run.step()
        return bound

    return run.train(
        train_epoch,
        lambda: learner.predict(data.x, num_samples=num_samples),
        checkpoint,
        checkpoint_every,
        progress,
    )
