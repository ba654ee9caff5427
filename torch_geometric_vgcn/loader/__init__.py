r"""Graphs too large for one batch."""

from torch_geometric_vgcn.loader.cluster import ClusterData
from torch_geometric_vgcn.loader.pair_weight import (
    PairWeight,
    SampledPairWeight,
)

__all__ = ['ClusterData', 'PairWeight', 'SampledPairWeight']
