from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.scale.batches import StoredBatches
from torch_geometric_vgcn.scale.graph import StoredGraph
from torch_geometric_vgcn.training.batches import BatchSource
from torch_geometric_vgcn.utils.constraints import (
    SIZE,
    Instance,
    checked,
)
from torch_geometric_vgcn.utils.ranks import Ranks


class StoredClusters(BatchSource):
    r"""Shuffled batches of clusters of a graph on disk, the same for any
    number of processes, as :class:`~torch_geometric.loader.ClusterLoader`
    makes them of a graph in memory. Give it to
    :func:`~torch_geometric_vgcn.training.fit` as its :obj:`loader`.

    A step takes :obj:`together` batches, shared out over the processes, and
    adds up their gradients.

    Args:
        graph (StoredGraph): The graph.
        batch_size (int, optional): The number :math:`m` of clusters per
            batch. (default: :obj:`1`)
        together (int, optional): The number of batches per step. The result
            depends on it, but not on the number of processes, which must
            divide it. (default: the number of processes)
    """

    @checked(graph=Instance(StoredGraph), batch_size=SIZE, together=SIZE)
    def __init__(
        self,
        graph: StoredGraph,
        batch_size: int = 1,
        together: int | None = None,
    ) -> None:
        self.graph = graph
        self.batch_size = batch_size
        if together is None:
            together = Ranks.of_group().world
        self.together = together
        if graph.num_clusters % (batch_size * together) > 0:
            raise ValueError(
                "'batch_size' times 'together' must divide the number of "
                f'clusters, got {batch_size} times {together} for '
                f'{graph.num_clusters} clusters'
            )
        self.num_steps = graph.num_clusters // (batch_size * together)

    def epoch(self, seed: int) -> Tensor:
        r"""The clusters of an epoch, of shape
        :obj:`[steps, together, batch_size]`.
        """
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(self.graph.num_clusters, generator=generator)
        order = order.view(self.num_steps, self.together, self.batch_size)
        return order.sort(dim=-1).values

    @property
    def between(self) -> float:
        r"""How much a pair between two clusters counts when they meet, as in
        :class:`~torch_geometric_vgcn.loader.PairWeight`.
        """
        return (self.graph.num_clusters - 1) / max(1, self.batch_size - 1)

    def batches(
        self, learner: Module, data: Any, ranks: Ranks
    ) -> StoredBatches:
        if data is not self.graph:
            raise ValueError(
                "'data' must be the StoredGraph of 'loader', got "
                f'{type(data).__name__}'
            )
        if self.together % ranks.world > 0:
            raise ValueError(
                "'together' must be a multiple of the number of processes, "
                f'got {self.together} for {ranks.world} processes'
            )
        return StoredBatches(learner, self, ranks)
