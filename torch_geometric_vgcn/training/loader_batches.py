from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader, NeighborLoader

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.loader import PairWeight, SampledPairWeight
from torch_geometric_vgcn.objective import Bound
from torch_geometric_vgcn.pairs import ClusterPairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.training.batches import (
    Batch,
    BatchSource,
    WholeGraph,
)
from torch_geometric_vgcn.training.fingerprint import as_text, digest
from torch_geometric_vgcn.training.predict_batches import predict_batches
from torch_geometric_vgcn.training.receptive_field import rows
from torch_geometric_vgcn.utils import count_nodes
from torch_geometric_vgcn.utils.ranks import Ranks


class LoaderBatches(WholeGraph):
    r"""The data of a training run, in the batches of a loader, of which only
    the ids of the nodes are used. The data may be on another device.

    Args:
        learner (VariationalGraphLearner): The learner.
        data (torch_geometric.data.Data): The whole data.
        loader (Any): The loader.
        num_nodes (int): The number of nodes that it loads batches of.
    """

    precision = torch.double

    def __init__(
        self,
        learner: VariationalGraphLearner,
        data: Data,
        loader: Any,
        num_nodes: int,
    ) -> None:
        count_nodes(data)
        n = learner.prior.num_nodes
        if not n == data.num_nodes == num_nodes:
            raise ValueError(
                "'learner', 'data' and 'loader' must be of the same nodes, "
                f'got {n}, {data.num_nodes} and {num_nodes}'
            )
        self.loader = loader
        super().__init__(learner, data)
        self.is_train = torch.zeros(n, dtype=torch.bool, device=self.device)
        self.is_train[self.train] = True

    @abstractmethod
    def weight(self, prior: Prior) -> float | Tensor:
        r"""How much the pairs of a batch count in the divergence."""

    def place(self, data: Data) -> None:
        device = self.device
        self.y = self.y.to(device)
        self.train, self.val = self.train.to(device), self.val.to(device)
        if self.x.layout not in (torch.strided, torch.sparse_coo):
            self.x = self.x.to_sparse_coo()  # which has rows to select
        if not isinstance(self.learner.prior.pairs, ClusterPairs):
            self.x = self.x.to(device)  # validation needs all at once

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.loader:
            n_id = batch.n_id.to(self.device)
            train = self.is_train[self.counted(batch, n_id)].nonzero().view(-1)
            prior = self.learner.prior.subset(n_id)
            yield Batch(
                rows(self.x, n_id).to(self.device),
                self.y[n_id],
                train,
                prior.pairs.position,
                {'prior': prior},
                {
                    'num_labeled': train.numel(),
                    'kl_scale': self.weight(prior),
                },
            )

    def loss(self, bound: Bound) -> Tensor:
        return -bound.bound * (self.num_batches / self.train.numel())

    def counted(self, batch: Data, n_id: Tensor) -> Tensor:
        r"""The first nodes of a batch, whose labels count."""
        return n_id

    def predict(self, num_samples: int) -> Any:
        pairs = self.learner.prior.pairs
        if isinstance(pairs, ClusterPairs):
            return predict_batches(
                self.learner, self.x, pairs.clusters(), num_samples
            )
        return super().predict(num_samples)

    def unchanged(self) -> AbstractContextManager[None]:
        return nullcontext()

    def fingerprint(self) -> dict[str, str]:
        return {
            **super().fingerprint(),
            'loader.batch_size': repr(self.loader.batch_size),
            'loader.sampler': type(self.loader.sampler).__name__,
        }


class ClusterBatches(LoaderBatches):
    r"""Batches of clusters, of which each process has its own."""

    def __init__(
        self,
        learner: VariationalGraphLearner,
        data: Data,
        loader: ClusterLoader,
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
        self.ranks = ranks
        self.pair_weight = PairWeight(loader)
        num_clustered = self.pair_weight.cluster.numel()
        self.num_batches = _num_batches(loader, ranks)
        super().__init__(learner, data, loader, num_clustered)
        self.pair_weight.cluster = self.pair_weight.cluster.to(self.device)

    def weight(self, prior: Prior) -> float | Tensor:
        return self.pair_weight(prior)

    def fingerprint(self) -> dict[str, str]:
        cluster = self.pair_weight.cluster
        count = len(self.loader.cluster_data)
        own = cluster.new_zeros(count, dtype=torch.uint8)
        own[list(getattr(self.loader.sampler, 'indices', range(count)))] = 1
        return {
            **super().fingerprint(),
            'loader.partition': digest(cluster),
            'loader.clusters of each process': digest(
                torch.stack(self.ranks.all_of(own))
            ),
            'processes': repr(self.ranks.world),
        }


class NeighborBatches(LoaderBatches):
    r"""Batches of nodes with sampled neighbours. The labels of the nodes that
    each batch started from count.
    """

    def __init__(
        self,
        learner: VariationalGraphLearner,
        data: Data,
        loader: NeighborLoader,
        ranks: Ranks,
    ) -> None:
        if ranks.world > 1:
            raise ValueError(
                f"'loader' must be a ClusterLoader with {ranks.world} "
                'processes, each of which trains the logits of its own '
                'clusters, got a NeighborLoader'
            )
        self.num_batches = len(loader)
        self.pair_weight = SampledPairWeight(learner.prior, len(loader))
        num_nodes = count_nodes(loader.data, 'loader.data')
        super().__init__(learner, data, loader, num_nodes)
        seeds = loader.input_data.node.to(self.device)
        missing = int((~torch.isin(self.train, seeds)).sum())
        if missing > 0 or loader.drop_last:
            raise ValueError(
                "'loader' must start from each training node once per epoch "
                f'(input_nodes=data.train_mask), got drop_last='
                f'{loader.drop_last} and input nodes without {missing} of '
                'them'
            )

    def weight(self, prior: Prior) -> float | Tensor:
        return self.pair_weight(prior)

    def counted(self, batch: Data, n_id: Tensor) -> Tensor:
        return n_id[: batch.batch_size]

    def fingerprint(self) -> dict[str, str]:
        sampler = self.loader.node_sampler
        return {
            **super().fingerprint(),
            'loader.num_neighbors': str(as_text(sampler.num_neighbors.values)),
            'loader.input_nodes': digest(self.loader.input_data.node),
        }

    def state_dict(self) -> dict[str, Any]:
        return self.pair_weight.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.pair_weight.load_state_dict(state)


def batches_of(
    learner: Any, data: Data, loader: Any, ranks: Ranks
) -> WholeGraph:
    r"""What a learner is trained on."""
    if loader is None:
        return WholeGraph(learner, data)
    if not isinstance(learner, VariationalGraphLearner):
        raise TypeError(
            "'learner' must be a VariationalGraphLearner to be trained with "
            f"a 'loader', got {type(learner).__name__}"
        )
    if isinstance(loader, BatchSource):
        return loader.batches(learner, data, ranks)
    if isinstance(loader, NeighborLoader):
        return NeighborBatches(learner, data, loader, ranks)
    if isinstance(loader, ClusterLoader):
        return ClusterBatches(learner, data, loader, ranks)
    raise TypeError(
        "'loader' must be a ClusterLoader or a NeighborLoader, got "
        f'{type(loader).__name__}'
    )


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
