from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Route
from torch_geometric_vgcn.message_passing.dense import (
    DENSE_CONVS,
    DenseAdjacency,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.message_passing.kept_edges import KeptEdges
from torch_geometric_vgcn.message_passing.matrix import AdjacencyMatrix
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.proved_route import ProvedRoute
from torch_geometric_vgcn.sample import Sampler
from torch_geometric_vgcn.utils import check_kind

# Those along edges and matrices, the fastest first; the last fits most convs.
ROUTES: tuple[type[Route], ...] = (AdjacencyMatrix, EdgeWeight, MessageGate)


def choose_route(conv: Module, sampler: Sampler) -> ProvedRoute:
    r"""The fastest route that is exact: the adjacency for dense convs; only
    the edges that are there for hard samples; a matrix for GCN-like convs
    (sparse ones where PyTorch has the kernels); edge weights where the conv
    multiplies messages by them; otherwise the gate, which works for all.
    """
    check_kind(conv, Module, 'conv')
    check_kind(sampler, Sampler, 'sampler')
    if any(isinstance(module, DENSE_CONVS) for module in conv.modules()):
        return ProvedRoute(DenseAdjacency(conv))
    if not sampler.pathwise:
        return ProvedRoute(KeptEdges(conv))
    routes = [route for route in ROUTES if route.refuses(conv) is None]
    return ProvedRoute(*[route(conv) for route in routes or [MessageGate]])
