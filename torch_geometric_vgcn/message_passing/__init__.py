r"""How a sampled graph gets into a PyG conv or model."""

from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Route, no_attributes
from torch_geometric_vgcn.message_passing.dense import (
    DENSE_CONVS,
    DenseAdjacency,
)
from torch_geometric_vgcn.message_passing.edge_attributes import EdgeAttributes
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.kept_edges import KeptEdges
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.sparse_matrix import SparseMatrix
from torch_geometric_vgcn.pairs import AllPairs, Candidates, Pairs
from torch_geometric_vgcn.sample import Bernoulli, Sampler

__all__ = [
    'Route',
    'DenseAdjacency',
    'EdgeWeight',
    'SparseMatrix',
    'MessageGate',
    'KeptEdges',
    'EdgeAttributes',
    'choose_route',
    'no_attributes',
]


def choose_route(conv: Module, pairs: Pairs, sampler: Sampler) -> Route:
    r"""The fastest route that is exact: a dense matrix for dense convs, and
    for others where nearly all pairs have some weight; only the edges that are
    there for hard samples; a sparse matrix for GCN-like convs; edge weights
    where the conv takes them as they are meant; else the gate, which fits all.
    """
    if any(isinstance(module, DENSE_CONVS) for module in conv.modules()):
        return DenseAdjacency(conv)
    if type(sampler) is Bernoulli:
        return KeptEdges(conv)
    if isinstance(pairs, AllPairs) and DenseAdjacency.refuses(conv) is None:
        return DenseAdjacency(conv)
    if isinstance(pairs, Candidates) and SparseMatrix.refuses(conv) is None:
        return SparseMatrix(conv)
    if EdgeWeight.refuses(conv) is None:
        return EdgeWeight(conv)
    return MessageGate(conv)
