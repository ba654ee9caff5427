from pathlib import Path

import torch

from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.training.optimizers import RATES, MakeOptimizer
from torch_geometric_vgcn.training.partitioned_run import (
    PartitionedRun,
    Settings,
)
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.utils.constraints import (
    SIZE,
    File,
    Flag,
    Instance,
    checked,
)


@checked(
    learner=Instance(PartitionedLearner),
    batch_size=SIZE,
    epochs=SIZE,
    **RATES,
    num_samples=SIZE,
    patience=SIZE,
    checkpoint=File(),
    checkpoint_every=SIZE,
    progress=Flag(),
)
def fit_partitioned(
    learner: PartitionedLearner,
    *,
    batch_size: int = 1,
    epochs: int = 200,
    lr: float = 0.01,
    logit_lr: float = 0.01,
    logit_optimizer: MakeOptimizer = torch.optim.Adam,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    patience: int = 50,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 5,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner of a graph that no process holds, with the loss of
    :func:`fit` with a :class:`~torch_geometric.loader.ClusterLoader`.

    Each step takes one batch of each shard, and adds up their gradients: those
    of the network over all processes
    (:class:`~torch.nn.parallel.DistributedDataParallel`), those of the logits
    at their owners. Which clusters meet in a batch, and all random numbers,
    follow from one seed, drawn from the global generator of the first process:
    the result is the same for any number of processes up to that of shards,
    except for the order of sums.

    With several clusters per batch, one of them comes from another shard
    (:class:`~torch_geometric_vgcn.partition.rounds.Rounds`). If it belongs to
    another process, it travels with the logits of its pairs, and their
    gradients travel back. Nothing else of the graph or of the posterior does.

    Validation predicts the clusters of each shard in order,
    :obj:`batch_size` at a time, without guests; processes add up their counts.

    Args:
        learner (PartitionedLearner): The learner to train.
        batch_size (int, optional): The number of clusters per batch, which
            divides that of a shard. (default: :obj:`1`)
        epochs (int, optional): The maximum number of epochs.
            (default: :obj:`200`)
        lr (float, optional): The learning rate of the network's weights.
            (default: :obj:`0.01`)
        logit_lr (float, optional): The learning rate of the posterior.
            (default: :obj:`0.01`)
        logit_optimizer (Callable, optional): Makes the optimiser of the
            posterior from parameters with sparse gradients and :obj:`lr`.
            (default: :class:`torch.optim.Adam`, as
            :class:`torch.optim.SparseAdam`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs per batch, in
            training and in validation. (default: :obj:`3`)
        patience (int, optional): After how many epochs without improvement
            to stop. (default: :obj:`50`)
        checkpoint (str or Path, optional): A folder that all processes save
            the run to, each its own part, and resume it from if it exists,
            with any number of processes. On several machines it must be
            shared. (default: :obj:`None`)
        checkpoint_every (int, optional): After how many epochs to save.
            (default: :obj:`5`)
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
        patience=patience,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        progress=progress,
    )
    with learner.ranks.explaining():
        return PartitionedRun(learner, batch_size, settings).train()
