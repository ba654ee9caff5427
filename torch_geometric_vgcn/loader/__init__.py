r"""Graphs too large for one batch."""

from torch_geometric_vgcn.loader.cluster import ClusterData

__all__ = ['ClusterData']
