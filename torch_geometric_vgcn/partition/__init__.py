r"""Graphs that no process holds: on disk, cluster by cluster."""

from torch_geometric_vgcn.partition.graph import PartitionedGraph
from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.partition.write import partition_graph

__all__ = ['PartitionedGraph', 'PartitionedLearner', 'partition_graph']
