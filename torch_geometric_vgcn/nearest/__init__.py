r"""Nearest neighbours: which nodes are alike by their features."""

from torch_geometric_vgcn.nearest.approximate import ApproximateSearch
from torch_geometric_vgcn.nearest.base import Metric
from torch_geometric_vgcn.nearest.cell_search import CellSearch
from torch_geometric_vgcn.nearest.cells import Cells
from torch_geometric_vgcn.nearest.cosine import Cosine
from torch_geometric_vgcn.nearest.exact import ExactSearch
from torch_geometric_vgcn.nearest.minkowski import Minkowski

__all__ = [
    'Metric',
    'Cosine',
    'Minkowski',
    'ExactSearch',
    'ApproximateSearch',
    'CellSearch',
    'Cells',
]
