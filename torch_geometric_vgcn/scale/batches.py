from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.scale.checkpoint import ShardedCheckpoint
from torch_geometric_vgcn.scale.graph import StoredGraph
from torch_geometric_vgcn.training.batches import Batch, device_of
from torch_geometric_vgcn.training.loader_batches import (
    LoaderBatches,
    check_posterior,
)
from torch_geometric_vgcn.training.predict_batches import of_parts, stacked
from torch_geometric_vgcn.utils import Seeded, check_num_outputs
from torch_geometric_vgcn.utils.ranks import Ranks

if TYPE_CHECKING:
    from torch_geometric_vgcn.scale.clusters import StoredClusters

ORDER, TRAIN, VALIDATE = 0, 1, 2  # what random numbers are for


class StoredBatches(LoaderBatches):
    r"""The batches of this process. What is random follows from a seed, the
    epoch and the batch, so that the result doesn't depend on which process
    computes it.

    Args:
        learner (Any): The learner.
        loader (StoredClusters): Which clusters meet.
        ranks (Ranks): The processes.
    """

    def __init__(
        self, learner: Any, loader: 'StoredClusters', ranks: Ranks
    ) -> None:
        self.graph = loader.graph
        if getattr(learner.prior, 'graph', None) is not self.graph:
            raise ValueError(
                "'learner' must have the prior of the graph of 'loader', "
                f'graph.prior(), got {type(learner.prior).__name__}'
            )
        check_posterior(learner, ranks, 'ShardedPosterior()')
        self.learner, self.loader, self.ranks = learner, loader, ranks
        self.device = device_of(learner)
        # Those of a process in one step count as one:
        self.num_batches = loader.num_steps * ranks.world
        self.seed = drawn_seed(ranks)
        self.epoch = 0

    @property
    def num_labels(self) -> int:
        return self.graph.num_train

    def __iter__(self) -> Iterator[Batch]:
        loader, ranks, epoch = self.loader, self.ranks, self.epoch
        own = loader.together // ranks.world
        order = loader.epoch(seed_of(self.seed, ORDER, epoch))
        objective = self.learner.criterion
        for step, batches in enumerate(order):
            done = getattr(objective, 'step', None)
            for place in range(ranks.rank * own, (ranks.rank + 1) * own):
                seed = seed_of(self.seed, TRAIN, epoch, step, place)
                last = place == (ranks.rank + 1) * own - 1
                if done is not None:  # the batches of a step count as one
                    objective.step = done
                yield self._batch(batches[place], seed, last)
        self.epoch += 1

    def _batch(self, clusters: Tensor, seed: int, last: bool) -> Batch:
        graph, device = self.graph, self.device
        n_id = graph.nodes_of(clusters)
        train = graph.rows('train_mask', n_id).nonzero().view(-1)
        prior = self.learner.prior.subset(n_id)
        return Batch(
            graph.rows('x', n_id).to(device),
            graph.rows('y', n_id).to(device),
            train.to(device),
            prior.pairs.position,
            {'prior': prior},
            {
                'num_labeled': train.numel(),
                'kl_scale': self._weight(clusters, prior),
            },
            Seeded(seed),
            last,
        )

    def _weight(self, clusters: Tensor, prior: Prior) -> float | Tensor:
        r"""How much the pairs of a batch count in the divergence."""
        if clusters.numel() in (1, self.graph.num_clusters):
            return 1.0
        border = self.graph.border
        count = border[clusters + 1] - border[clusters]
        label = torch.arange(clusters.numel()).repeat_interleave(count)
        row, col = label.to(self.device)[prior.pairs.index]
        weight = torch.ones_like(prior.logits)
        return weight.masked_fill_(row != col, self.loader.between)

    def check_outputs(self, out: Tensor) -> None:
        if self.learner.likelihood.has_classes:
            check_num_outputs(out.size(-1), self.graph.highest_class)

    def predict(self, num_samples: int) -> Any:
        r"""The predictions for one batch, which initialise lazy layers."""
        return next(self._predicted(num_samples))

    def _predicted(self, num_samples: int) -> Any:
        return predicted(
            self.learner,
            self.graph,
            self.loader.batch_size,
            num_samples,
            self.ranks,
            seed_of(self.seed, VALIDATE, self.epoch),
        )

    def validate(self, num_samples: int, ranks: Ranks) -> tuple[float, float]:
        graph, found, labels = self.graph, [], []
        for n_id, own, prob in self._predicted(num_samples):
            val = graph.rows('val_mask', n_id) & own
            found.append(of_parts(prob, lambda p, val=val: p[val]))
            labels.append(graph.rows('y', n_id)[val].to(self.device))
        prob, y = stacked(found), ranks.joined(torch.cat(labels))
        prob, nodes = of_parts(prob, ranks.joined), torch.arange(len(y))
        return self.learner.likelihood.evaluate(prob, y, nodes)

    def checkpoint(
        self, path: str | Path, fingerprint: dict[str, str], run: Any
    ) -> ShardedCheckpoint:
        return ShardedCheckpoint(
            path, fingerprint, self.learner, run.optimizers, self.ranks
        )

    def fingerprint(self) -> dict[str, str]:
        return {
            'batches': type(self).__name__,
            'graph': self.graph.digest,
            'batch_size': repr(self.loader.batch_size),
            'together': repr(self.loader.together),
        }

    def state_dict(self) -> dict[str, Any]:
        return {'seed': self.seed, 'epoch': self.epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.seed, self.epoch = state['seed'], state['epoch']


def predicted(
    learner: Any,
    graph: StoredGraph,
    batch_size: int,
    num_samples: int,
    ranks: Ranks,
    seed: int,
) -> Iterator[tuple[Tensor, bool, Any]]:
    r"""The nodes of this process's batches, in order, whether they count, and
    their predictions. All processes have equally many batches, as they fetch
    logits from each other.
    """
    batches = torch.arange(graph.num_clusters).split(batch_size)
    most = -(-len(batches) // ranks.world)
    for number in range(ranks.rank * most, (ranks.rank + 1) * most):
        n_id = graph.nodes_of(batches[min(number, len(batches) - 1)])
        x, prior = graph.rows('x', n_id), learner.prior.subset(n_id)
        with Seeded(seed_of(seed, number)):
            prob = learner.predict(
                x.to(prior.logits.device), num_samples, prior
            )
        yield n_id, number < len(batches), prob


def seed_of(*numbers: int) -> int:
    r"""A seed from numbers that tell what it is for."""
    seed = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return int(seed[0])


def drawn_seed(ranks: Ranks) -> int:
    r"""A seed from the global generator of the first process."""
    # Small enough for a floating-point number:
    seed, _ = ranks.from_first(lambda: (float(torch.randint(2**52, ())), 0.0))
    return int(seed)
