r"""Graphs that no process holds: files, clusters and shared-out logits."""

from torch_geometric_vgcn.scale.clusters import StoredClusters
from torch_geometric_vgcn.scale.graph import StoredGraph
from torch_geometric_vgcn.scale.posterior import ShardedPosterior
from torch_geometric_vgcn.scale.predict import learned_edges, predict_clusters
from torch_geometric_vgcn.scale.write import write_graph

__all__ = [
    'StoredGraph',
    'write_graph',
    'ShardedPosterior',
    'StoredClusters',
    'predict_clusters',
    'learned_edges',
]
