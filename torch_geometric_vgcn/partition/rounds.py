from typing import NamedTuple

import numpy as np

from torch_geometric_vgcn.partition.graph import PartitionedGraph


class Slot(NamedTuple):
    r"""One batch of a step: the shard whose process computes it, and its
    clusters, ascending.
    """

    shard: int
    clusters: list[int]


class Rounds:
    r"""Which clusters meet in which batch, the same for any number of
    processes.

    A step takes one batch of :obj:`batch_size` clusters of each of the
    :math:`G` shards. In epoch :math:`e`, shard :math:`a` meets shard
    :math:`b = (e - a) \bmod G`: in each of its batches one cluster is a guest
    from there, and a cluster of its own is a guest in each of theirs. So each
    shard meets each other one, and itself, once in :math:`G` epochs. Each
    cluster is in one batch per epoch.

    With one cluster per batch there are no guests.

    Args:
        graph (PartitionedGraph): The graph.
        batch_size (int): The number :math:`m` of clusters per batch.
        seed (int): The seed of all epochs.
    """

    def __init__(
        self, graph: PartitionedGraph, batch_size: int, seed: int
    ) -> None:
        self.graph = graph
        self.batch_size = batch_size
        self.seed = seed
        size = graph.num_parts // graph.num_shards
        if size % batch_size != 0:
            raise ValueError(
                "'batch_size' must divide the number of clusters per shard, "
                f'got {batch_size} for {size} clusters'
            )
        self.per_shard = size
        self.num_steps = size // batch_size
        self.num_batches = self.num_steps * graph.num_shards

    def steps(self, epoch: int) -> list[list[Slot]]:
        r"""The batches of each step of an epoch."""
        shards, size = self.graph.num_shards, self.batch_size
        steps = self.num_steps
        order = [
            self.graph.clusters_of(shard).start
            + self._rng(epoch, shard).permutation(self.per_shard)
            for shard in range(shards)
        ]
        out = []
        for step in range(steps):
            slots = []
            for shard in range(shards):
                # One column of guests, and the others stay:
                other = (epoch - shard) % shards
                table = order[shard].reshape(size, steps)[:, step].copy()
                if size > 1:
                    table[0] = order[other].reshape(size, steps)[0, step]
                slots.append(Slot(shard, sorted(table.tolist())))
            out.append(slots)
        return out

    def _rng(self, epoch: int, shard: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, epoch, shard])

    def in_order(self, shard: int) -> list[Slot]:
        r"""Batches of all clusters of a shard without guests, for
        predictions.
        """
        clusters = self.graph.clusters_of(shard)
        size = self.batch_size
        return [
            Slot(shard, list(clusters[start : start + size]))
            for start in range(0, len(clusters), size)
        ]

    @property
    def between(self) -> tuple[float, float]:
        r"""How much a pair between two clusters counts when they meet: of the
        same shard, and of two. It is the inverse of how often they meet per
        epoch, in the mean over :math:`G` epochs.
        """
        size, own = self.batch_size, self.per_shard
        shards = self.graph.num_shards
        if size == 1:
            return 1.0, 1.0
        # Both stay, in an epoch with guests; or the shard meets itself:
        stay = (size - 1) * (size - 2) / (size * max(1, own - 1))
        alone = (size - 1) / max(1, own - 1)
        same = (alone + (shards - 1) * stay) / shards
        two = 2 * (size - 1) / (size * own * shards)
        return 1 / same, 1 / two
