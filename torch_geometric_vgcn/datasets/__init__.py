r"""Data sets that are also available offline, and your own tables."""

from torch_geometric_vgcn.datasets.from_table import from_table
from torch_geometric_vgcn.datasets.newsgroups import newsgroups
from torch_geometric_vgcn.datasets.planetoid import planetoid
from torch_geometric_vgcn.datasets.polblogs import polblogs
from torch_geometric_vgcn.datasets.prognn import prognn
from torch_geometric_vgcn.datasets.uci import uci

__all__ = [
    'planetoid',
    'polblogs',
    'prognn',
    'uci',
    'newsgroups',
    'from_table',
]
