r"""How a sampled graph is passed to a PyG conv or model."""

from torch_geometric_vgcn.message_passing.base import Route, no_attributes
from torch_geometric_vgcn.message_passing.choose_route import choose_route
from torch_geometric_vgcn.message_passing.dense import DenseAdjacency
from torch_geometric_vgcn.message_passing.edge_attributes import (
    EdgeAttributes,
    attributes_of,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.edge_weights import EdgeWeights
from torch_geometric_vgcn.message_passing.kept_edges import KeptEdges
from torch_geometric_vgcn.message_passing.matrix import AdjacencyMatrix
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.proved_route import ProvedRoute
from torch_geometric_vgcn.message_passing.sparse_dropout import SparseDropout

__all__ = [
    'Route',
    'ProvedRoute',
    'DenseAdjacency',
    'AdjacencyMatrix',
    'EdgeWeight',
    'EdgeWeights',
    'MessageGate',
    'KeptEdges',
    'SparseDropout',
    'EdgeAttributes',
    'attributes_of',
    'choose_route',
    'no_attributes',
]
