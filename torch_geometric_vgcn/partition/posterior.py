from typing import cast

import torch
from torch import Tensor
from torch.nn import Parameter, ParameterDict

from torch_geometric_vgcn.partition.batch import BatchPrior
from torch_geometric_vgcn.partition.graph import PartitionedGraph
from torch_geometric_vgcn.posterior import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_kind


class OwnedPosterior(Posterior):
    r"""One free logit per pair, as :class:`~torch_geometric_vgcn.posterior.
    FreePosterior` has: those of the shards that this process owns, and no
    others.

    Args:
        graph (PartitionedGraph): The graph.
        shards (range): The shards that this process owns.
    """

    offset: ParameterDict  # [P] for each shard

    def __init__(self, graph: PartitionedGraph, shards: range) -> None:
        super().__init__()
        self.graph = graph
        self.shards = shards

    def initialize_from(self, prior: Prior) -> None:
        pairs = self.graph.manifest.pairs
        self.offset = ParameterDict(
            {
                str(shard): torch.zeros(
                    sum(pairs[c] for c in self.graph.clusters_of(shard))
                )
                for shard in self.shards
            }
        )

    def of_shard(self, shard: int) -> Parameter:
        r"""What is added to the prior logits of a shard's pairs."""
        return cast(Parameter, self.offset[str(shard)])

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        check_kind(prior, BatchPrior, 'prior')
        assert isinstance(prior, BatchPrior)
        return prior.logits + prior.offset

    def extra_repr(self) -> str:
        return f'shards={list(self.shards)}'
