r"""Which node pairs have a variable of their own."""

from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.pairs.candidates import Candidates
from torch_geometric_vgcn.pairs.dense import AllPairs, ClusterPairs

__all__ = ['Pairs', 'AllPairs', 'Candidates', 'ClusterPairs']
