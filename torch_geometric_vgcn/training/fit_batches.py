from collections.abc import Sequence
from pathlib import Path

from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import Term
from torch_geometric_vgcn.training.cluster_run import ClusterRun
from torch_geometric_vgcn.training.optimizers import MakeOptimizer
from torch_geometric_vgcn.training.ranks import Ranks
from torch_geometric_vgcn.training.result import Fit
from torch_geometric_vgcn.training.settings import Settings


def fit_batches(
    learner: VariationalGraphLearner,
    data: Data,
    loader: ClusterLoader,
    *,
    epochs: int = 200,
    lr: float = 0.01,
    logit_lr: float | None = None,
    logit_optimizer: MakeOptimizer | None = None,
    weight_decay: float = 5e-4,
    num_samples: int = 3,
    terms: Sequence[Term] = (),
    patience: int = 50,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 5,
    progress: bool = True,
) -> Fit:
    r"""Trains a learner as :func:`fit` does, in batches of clusters: one step
    per batch, with the loss

    .. math::
        -\frac{B}{|\mathcal{Y}^o|} \left[ \sum_{n \in b} \log p(y_n \mid
        \mathbf{X}_b, \mathbf{A}_b) - \beta \sum_{i,j \in b} w_{ij}\,
        \mathrm{KL}_{ij} \right]

    of batch :math:`b` out of :math:`B`, and the weights :math:`w` of
    :class:`~torch_geometric_vgcn.loader.PairWeight`. Over an epoch the bounds
    add up to that of all the data: exactly for
    :class:`~torch_geometric_vgcn.pairs.ClusterPairs`, and otherwise except
    for the edges that are missing between batches.

    With :class:`FreePosterior(sparse=True)` the cost of a step is that of its
    batch, and all other logits and their moments stay as they are; with other
    posteriors Adam updates them all.

    **Several processes** (:obj:`torchrun`, inside :func:`process_group`): each
    has a :obj:`loader` of its own clusters, by
    :obj:`sampler=SubsetRandomSampler(range(rank, num_parts, world_size))`,
    and trains their logits; the gradients of the network are averaged over
    processes (:class:`~torch.nn.parallel.DistributedDataParallel`). After each
    epoch all processes exchange their logits, and the first one validates and
    writes the checkpoint.

    The same seed gives the same result, also when the run is resumed from its
    checkpoint, as long as :obj:`loader` has no generator of its own.

    The data may stay on the CPU: each batch is moved to the learner's device.

    Args:
        learner (VariationalGraphLearner): The learner to train.
        data (torch_geometric.data.Data): The whole data, with :obj:`x`,
            :obj:`y`, :obj:`train_mask` and :obj:`val_mask`. A mask is
            boolean, or a list of node indices.
        loader (torch_geometric.loader.ClusterLoader): The batches, over
            :class:`~torch_geometric_vgcn.loader.ClusterData` of :obj:`data`.
        epochs (int, optional): The maximum number of epochs.
            (default: :obj:`200`)
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
            weights. (default: :obj:`5e-4`)
        num_samples (int, optional): The number of graphs per step, in
            training and in validation. (default: :obj:`3`)
        terms (Sequence[Term], optional): Further terms of the loss, such as
            :obj:`[Consistency(num_classes)]`, for labels that are classes.
            (default: none)
        patience (int, optional): After how many epochs without improvement
            to stop. (default: :obj:`50`)
        checkpoint (str or Path, optional): A file to save the run to, and to
            resume it from if it exists. (default: :obj:`None`)
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
        terms=terms,
        patience=patience,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        progress=progress,
    )
    if not isinstance(learner, VariationalGraphLearner):
        raise TypeError(
            "'learner' must be a VariationalGraphLearner, "
            f'got {type(learner).__name__}'
        )
    ranks = Ranks.of_group()
    with ranks.explaining():
        return ClusterRun(learner, data, loader, settings, ranks).train()
