r"""Which node pairs have a variable of their own."""

from torch_geometric_vgcn.pairs.all_pairs import AllPairs
from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.pairs.candidates import Candidates

__all__ = ['Pairs', 'AllPairs', 'Candidates']
