r"""How a sampled graph gets into a PyG conv or model."""

from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Route, no_attributes
from torch_geometric_vgcn.message_passing.dense import (
    DENSE_CONVS,
    DenseAdjacency,
)
from torch_geometric_vgcn.message_passing.dense_matrix import DenseMatrix
from torch_geometric_vgcn.message_passing.edge_attributes import (
    EdgeAttributes,
    attributes_of,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.kept_edges import KeptEdges
from torch_geometric_vgcn.message_passing.matrix import general_route
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.sparse_matrix import SparseMatrix
from torch_geometric_vgcn.pairs import AllPairs, Pairs
from torch_geometric_vgcn.sample import Bernoulli, Sampler

__all__ = [
    'Route',
    'DenseAdjacency',
    'DenseMatrix',
    'EdgeWeight',
    'SparseMatrix',
    'MessageGate',
    'KeptEdges',
    'EdgeAttributes',
    'attributes_of',
    'choose_route',
    'no_attributes',
]


def choose_route(conv: Module, pairs: Pairs, sampler: Sampler) -> Route:
    r"""The fastest route that is exact: the adjacency for dense convs; only
    the edges that are there for hard samples; a matrix for GCN-like convs,
    dense with all pairs and sparse with few; edge weights where the conv takes
    them as they are meant; else the gate, which fits all.
    """
    if any(isinstance(module, DENSE_CONVS) for module in conv.modules()):
        return DenseAdjacency(conv)
    if type(sampler) is Bernoulli:
        return KeptEdges(conv)
    matrix = DenseMatrix if isinstance(pairs, AllPairs) else SparseMatrix
    if matrix.refuses(conv) is None:
        return matrix(conv)
    return general_route(conv)
