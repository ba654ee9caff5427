r"""Nearest neighbours: which nodes are alike by their features."""

from torch_geometric_vgcn.nearest.approximate import (
    ApproximateSearch,
    search_for,
)
from torch_geometric_vgcn.nearest.cosine import Cosine
from torch_geometric_vgcn.nearest.exact import ExactSearch, nearest_rows
from torch_geometric_vgcn.nearest.metric import Metric
from torch_geometric_vgcn.nearest.minkowski import Minkowski
from torch_geometric_vgcn.utils.deprecated import former_names

__all__ = [
    'Metric',
    'Cosine',
    'Minkowski',
    'ExactSearch',
    'ApproximateSearch',
    'nearest_rows',
    'search_for',
]

__getattr__ = former_names(
    __name__, {'CellSearch': (__name__, 'ApproximateSearch')}
)
