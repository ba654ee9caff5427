r"""Nearest neighbours: which nodes are alike by their features."""

from torch_geometric_vgcn.nearest.approximate import ApproximateSearch
from torch_geometric_vgcn.nearest.cosine import Cosine
from torch_geometric_vgcn.nearest.exact import ExactSearch
from torch_geometric_vgcn.nearest.metric import Metric
from torch_geometric_vgcn.nearest.minkowski import Minkowski
from torch_geometric_vgcn.utils.deprecated import former_names

__all__ = [
    'Metric',
    'Cosine',
    'Minkowski',
    'ExactSearch',
    'ApproximateSearch',
]

__getattr__ = former_names(
    __name__, {'CellSearch': (__name__, 'ApproximateSearch')}
)
