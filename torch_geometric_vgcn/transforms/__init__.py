r"""Graphs and splits from raw data, as PyG transforms."""

from torch_geometric_vgcn.transforms.half_validation import HalfValidation
from torch_geometric_vgcn.transforms.knn_graph import KNNGraph

__all__ = ['KNNGraph', 'HalfValidation']
