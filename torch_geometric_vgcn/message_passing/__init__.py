r"""How a sampled graph gets into a PyG conv or model."""

from torch.nn import Module

from torch_geometric_vgcn.kernels.compressed_rows import kernels_work
from torch_geometric_vgcn.message_passing.base import Route, no_attributes
from torch_geometric_vgcn.message_passing.dense import (
    DENSE_CONVS,
    DenseAdjacency,
)
from torch_geometric_vgcn.message_passing.edge_attributes import (
    EdgeAttributes,
    attributes_of,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.kept_edges import KeptEdges
from torch_geometric_vgcn.message_passing.matrix import (
    AdjacencyMatrix,
    general_route,
)
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.sparse_dropout import SparseDropout
from torch_geometric_vgcn.pairs import AllPairs, ClusterPairs, Pairs
from torch_geometric_vgcn.sample import Bernoulli, Sampler

__all__ = [
    'Route',
    'DenseAdjacency',
    'AdjacencyMatrix',
    'EdgeWeight',
    'MessageGate',
    'KeptEdges',
    'SparseDropout',
    'EdgeAttributes',
    'attributes_of',
    'choose_route',
    'no_attributes',
]


def choose_route(conv: Module, pairs: Pairs, sampler: Sampler) -> Route:
    r"""The fastest route that is exact: the adjacency for dense convs; only
    the edges that are there for hard samples; a matrix for GCN-like convs
    (sparse ones where PyTorch has the kernels); edge weights where the conv
    takes them as they are meant; else the gate, which fits all.
    """
    if any(isinstance(module, DENSE_CONVS) for module in conv.modules()):
        return DenseAdjacency(conv)
    if type(sampler) is Bernoulli:
        return KeptEdges(conv)
    fast = isinstance(pairs, (AllPairs, ClusterPairs)) or kernels_work()
    if fast and AdjacencyMatrix.refuses(conv) is None:
        return AdjacencyMatrix(conv)
    return general_route(conv)
