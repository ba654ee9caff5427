from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.loader import PairWeight
from torch_geometric_vgcn.objective import Bound, SemiSupervisedELBO
from torch_geometric_vgcn.pairs import ClusterPairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.training.data_run import DataRun
from torch_geometric_vgcn.training.distributed import distributed
from torch_geometric_vgcn.training.fingerprint import digest
from torch_geometric_vgcn.training.predict_batches import predict_batches
from torch_geometric_vgcn.training.ranks import Ranks
from torch_geometric_vgcn.training.receptive_field import rows
from torch_geometric_vgcn.training.settings import Settings
from torch_geometric_vgcn.utils import count_nodes


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
                'clusters only: use one process, or give the learner '
                'FreePosterior()'
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
        self.num_batches = _num_batches(loader, ranks)
        super().__init__(learner, data, settings, ranks)
        self.is_train = torch.zeros(n, dtype=torch.bool, device=self.device)
        self.is_train[self.train_nodes] = True
        self.model: Module = learner
        if ranks.world > 1:
            counts = [f'criterion.{name}' for name in self.counts()]
            left_out = [*self.logits.parameters, *self.constant, *counts]
            self.model = distributed(learner, left_out)

    @property
    def num_labels(self) -> float:
        # A step takes a batch of each process:
        return super().num_labels * self.ranks.world / self.num_batches

    def counts(self) -> dict[str, Tensor]:
        r"""What the objective has counted in training steps."""
        return dict(self.learner.criterion.named_buffers())

    def add_up_counts(self, before: dict[str, Tensor]) -> None:
        r"""Adds up what all processes have counted in an epoch."""
        objective = self.learner.criterion
        if self.ranks.world > 1 and isinstance(objective, SemiSupervisedELBO):
            for name in ('nodes', 'labels'):
                new, old = getattr(objective, name), before[name]
                old = old if old.shape == new.shape else new.new_zeros(())
                setattr(objective, name, old + self.ranks.sum(new - old))
            mean = self.ranks.sum(objective.found) / self.ranks.world
            objective.found = mean

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

    def train_epoch(self, epoch: int) -> tuple[Bound, Tensor]:
        num_labeled = self.train_nodes.numel()
        total = torch.zeros(5, dtype=torch.double)
        before = self.counts()
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
            terms = self.extra_loss(out, self.y[n_id], train)
            loss = terms - bound.bound * (self.num_batches / num_labeled)
            self.check_finite(loss, epoch)
            loss.backward()
            self.logits.touch(prior.pairs.position)
            self.step()
            parts = [*bound[:3], bound.agreement, terms]
            total += torch.stack(parts).detach().cpu()
        self.add_up_counts(before)
        total = self.ranks.sum(total)
        loss = -total[0] / num_labeled
        bound = Bound(total[0], total[1], total[2], loss, total[3])
        return bound, total[4] / self.num_batches

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
