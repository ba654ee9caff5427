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
from torch_geometric_vgcn.training.batches import (
    Batch,
    BatchSource,
    WholeGraph,
)
from torch_geometric_vgcn.training.fingerprint import as_text, digest
from torch_geometric_vgcn.training.predict_batches import (
    predict_batches,
    rows,
)
from torch_geometric_vgcn.utils import count_nodes
from torch_geometric_vgcn.utils.ranks import Ranks


class LoaderBatches(WholeGraph):
    r"""The data of a training run, in the batches of a loader, of which only
    the ids of the nodes are used. The data may be on another device.

    Of a :class:`ClusterLoader`, each process has its own clusters. Of a
    :class:`NeighborLoader`, the labels of the nodes that a batch starts from
    count.

    Args:
        learner (VariationalGraphLearner): The learner.
        data (torch_geometric.data.Data): The whole data.
        loader (ClusterLoader or NeighborLoader): The loader.
        ranks (Ranks): The processes.
    """

    precision = torch.double

    def __init__(
        self,
        learner: VariationalGraphLearner,
        data: Data,
        loader: Any,
        ranks: Ranks,
    ) -> None:
        self.loader, self.ranks = loader, ranks
        self.has_seeds = isinstance(loader, NeighborLoader)
        self.weight: PairWeight | SampledPairWeight
        if self.has_seeds:
            if ranks.world > 1:
                raise ValueError(
                    f"'loader' must be a ClusterLoader with {ranks.world} "
                    'processes, each of which trains the logits of its own '
                    'clusters, got a NeighborLoader'
                )
            self.num_batches = len(loader)
            self.weight = SampledPairWeight(learner.prior, len(loader))
            num_nodes = count_nodes(loader.data, 'loader.data')
        else:
            check_posterior(learner, ranks, 'FreePosterior()')
            self.weight = PairWeight(loader)
            self.num_batches = _num_batches(loader, ranks)
            num_nodes = self.weight.cluster.numel()
        count_nodes(data)
        n = learner.prior.num_nodes
        if not n == data.num_nodes == num_nodes:
            raise ValueError(
                "'learner', 'data' and 'loader' must be of the same nodes, "
                f'got {n}, {data.num_nodes} and {num_nodes}'
            )
        super().__init__(learner, data)
        self.weight.to(self.device)
        self.is_train = torch.zeros(n, dtype=torch.bool, device=self.device)
        self.is_train[self.train] = True
        if self.has_seeds:
            self._check_seeds()

    def _check_seeds(self) -> None:
        loader = self.loader
        seeds = loader.input_data.node.to(self.device)
        missing = int((~torch.isin(self.train, seeds)).sum())
        if missing > 0 or loader.drop_last:
            raise ValueError(
                "'loader' must start from each training node once per epoch "
                f'(input_nodes=data.train_mask), got drop_last='
                f'{loader.drop_last} and input nodes without {missing} of '
                'them'
            )

    def place(self, data: Data) -> None:
        device = self.device
        self.y = self.y.to(device)
        self.train, self.val = self.train.to(device), self.val.to(device)
        if self.x.layout not in (torch.strided, torch.sparse_coo):
            self.x = self.x.to_sparse_coo()  # which has rows to select
        if type(self.learner.prior.pairs) is not ClusterPairs:
            self.x = self.x.to(device)  # validation needs all at once

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.loader:
            n_id = batch.n_id.to(self.device)
            counted = n_id[: batch.batch_size] if self.has_seeds else n_id
            train = self.is_train[counted].nonzero().view(-1)
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
        return -bound.bound * (self.num_batches / self.num_labels)

    def predict(self, num_samples: int) -> Any:
        pairs = self.learner.prior.pairs
        if type(pairs) is ClusterPairs:
            return predict_batches(
                self.learner, self.x, pairs.clusters(), num_samples
            )
        return super().predict(num_samples)

    def unchanged(self) -> AbstractContextManager[None]:
        return nullcontext()

    def fingerprint(self) -> dict[str, str]:
        loader = self.loader
        out = super().fingerprint() | {
            'loader.batch_size': repr(loader.batch_size),
            'loader.sampler': type(loader.sampler).__name__,
        }
        if isinstance(self.weight, SampledPairWeight):
            num_neighbors = loader.node_sampler.num_neighbors.values
            return out | {
                'batches': 'NeighborBatches',
                'loader.num_neighbors': str(as_text(num_neighbors)),
                'loader.input_nodes': digest(loader.input_data.node),
            }
        cluster = self.weight.cluster
        count = len(loader.cluster_data)
        own = cluster.new_zeros(count, dtype=torch.uint8)
        own[list(getattr(loader.sampler, 'indices', range(count)))] = 1
        return out | {
            'batches': 'ClusterBatches',
            'loader.partition': digest(cluster),
            'loader.clusters of each process': digest(
                torch.stack(self.ranks.all_of(own))
            ),
            'processes': repr(self.ranks.world),
        }

    def state_dict(self) -> dict[str, Any]:
        return self.weight.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.weight.load_state_dict(state)


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
    if isinstance(loader, (ClusterLoader, NeighborLoader)):
        return LoaderBatches(learner, data, loader, ranks)
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


def check_posterior(learner: Any, ranks: Ranks, instead: str) -> None:
    r"""Raises an error if a posterior's logits depend on all nodes' classes,
    and there are several processes.
    """
    if ranks.world > 1 and any(
        isinstance(module, ClassPosterior) for module in learner.modules()
    ):
        raise ValueError(
            f"'learner' must not have a ClassPosterior with {ranks.world} "
            'processes, each of which sees the classes of its own batches '
            f'only: use one process, or give the learner {instead}'
        )
