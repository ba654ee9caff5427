from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader

from torch_geometric_vgcn.checks import count_nodes
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.loader import PairWeight
from torch_geometric_vgcn.objective import Bound, Term
from torch_geometric_vgcn.pairs import ClusterPairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.training.data_run import DataRun
from torch_geometric_vgcn.training.distributed import distributed
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.training.optimizers import MakeOptimizer
from torch_geometric_vgcn.training.predict_batches import (
    predict_batches,
    rows,
)
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
    logit_lr: float = 0.01,
    logit_optimizer: MakeOptimizer = torch.optim.Adam,
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

    **Several processes** (:obj:`torchrun`, after
    :obj:`torch.distributed.init_process_group('gloo')`): each has a
    :obj:`loader` of its own clusters, by
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
        logit_lr (float, optional): The learning rate of the posterior.
            (default: :obj:`0.01`)
        logit_optimizer (Callable, optional): Makes the optimiser of the
            posterior, from its parameters and :obj:`lr`, such as
            :obj:`partial(torch.optim.SGD, momentum=0.9)`, whose steps are as
            large as the evidence. (default: :class:`torch.optim.Adam`)
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


class ClusterRun(DataRun):
    r"""Takes one step per batch of clusters.

    Args:
        learner (VariationalGraphLearner): The learner to train.
        data (torch_geometric.data.Data): The whole data. The batches are
            taken from it: of :obj:`loader` only their nodes are used.
        loader (torch_geometric.loader.ClusterLoader): The batches.
        settings (Settings): The settings.
        ranks (Ranks): The processes that take part.
    """

    learner: VariationalGraphLearner

    def __init__(
        self,
        learner: VariationalGraphLearner,
        data: Data,
        loader: ClusterLoader,
        settings: Settings,
        ranks: Ranks,
    ) -> None:
        if ranks.world > 1 and any(
            isinstance(module, ClassPosterior) for module in learner.modules()
        ):
            raise ValueError(
                f"'learner' must not have a ClassPosterior with {ranks.world} "
                'processes, each of which sees the classes of its own '
                'clusters only: use one process, or another posterior'
            )
        self.loader = loader
        self.weight = PairWeight(loader)
        count_nodes(data)
        n, num_clustered = learner.prior.num_nodes, self.weight.cluster.numel()
        if not n == data.num_nodes == num_clustered:
            raise ValueError(
                "'learner', 'data' and 'loader' must be of the same nodes, "
                f'got {n}, {data.num_nodes} and {num_clustered}'
            )
        super().__init__(learner, data, settings, ranks)
        self.num_batches = _num_batches(loader, ranks)
        self.is_train = torch.zeros(n, dtype=torch.bool, device=self.device)
        self.is_train[self.train_nodes] = True
        self.model: Module = learner
        if ranks.world > 1:
            left_out = [*self.logits.parameters, *self.constant]
            self.model = distributed(learner, left_out)

    def place(self, data: Data) -> None:
        device = self.device
        self.weight.cluster = self.weight.cluster.to(device)
        self.y = self.y.to(device)
        self.train_nodes = self.train_nodes.to(device)
        self.val_nodes = self.val_nodes.to(device)
        if self.x.layout not in (torch.strided, torch.sparse_coo):
            self.x = self.x.to_sparse_coo()  # which has rows to select
        if not isinstance(self.learner.prior.pairs, ClusterPairs):
            self.x = self.x.to(device)  # validation needs all at once

    def fingerprint(self) -> dict[str, str]:
        sampler = self.loader.sampler
        clusters = self.weight.cluster.new_zeros(
            len(self.loader.cluster_data), dtype=torch.uint8
        )
        clusters[list(getattr(sampler, 'indices', range(len(clusters))))] = 1
        return {
            **super().fingerprint(),
            'loader.batch_size': repr(self.loader.batch_size),
            'loader.sampler': type(sampler).__name__,
            'loader.partition': digest(self.weight.cluster),
            'loader.clusters of each process': digest(
                torch.stack(self.ranks.all_of(clusters))
            ),
            'processes': repr(self.ranks.world),
        }

    def train_epoch(self, epoch: int) -> Bound:
        num_labeled = self.train_nodes.numel()
        total = torch.zeros(3, dtype=torch.double)
        for batch in self.loader:
            self.zero_grad()
            n_id = batch.n_id.to(self.device)
            prior = self.learner.prior.subset(n_id)
            out = self.model(
                rows(self.x, n_id).to(self.device),
                num_samples=self.settings.num_samples,
                prior=prior,
            )
            self.check_outputs(out)
            train = self.is_train[n_id].nonzero().view(-1)
            bound = self.learner.objective(
                out, self.y[n_id], train, train.numel(), self.weight(prior)
            )
            loss = -bound.bound * (self.num_batches / num_labeled)
            loss = loss + self.extra_loss(out, self.y[n_id], train)
            self.check_finite(loss, epoch)
            loss.backward()
            self.logits.touch(prior.pairs.position)
            self.step()
            total += torch.stack(bound[:3]).detach().cpu()
        total = self.ranks.sum(total)
        return Bound(total[0], total[1], total[2], -total[0] / num_labeled)

    def predict(self) -> Any:
        learner, num_samples = self.learner, self.settings.num_samples
        pairs = learner.prior.pairs
        if isinstance(pairs, ClusterPairs):
            return predict_batches(
                learner, self.x, pairs.clusters(), num_samples
            )
        return learner.predict(self.x, num_samples)


def _num_batches(loader: ClusterLoader, ranks: Ranks) -> int:
    r"""The number of batches of all processes, which must have equally
    many.
    """
    counts = [int(n) for n in ranks.all_of(torch.tensor(len(loader)))]
    if len(set(counts)) > 1:
        raise ValueError(
            "'loader' must have as many batches in each process, got "
            f"{counts}: choose 'num_parts' as a multiple of the number of "
            "processes times 'batch_size'"
        )
    return sum(counts)
