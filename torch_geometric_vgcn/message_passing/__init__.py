r"""How a sampled graph gets into a PyG conv or model."""

from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Route
from torch_geometric_vgcn.message_passing.dense import (
    DENSE_CONVS,
    DenseAdjacency,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.pairs import AllPairs, Pairs
from torch_geometric_vgcn.sample import Bernoulli, Sampler

__all__ = ['Route', 'DenseAdjacency', 'EdgeWeight', 'choose_route']


def choose_route(conv: Module, pairs: Pairs, sampler: Sampler) -> Route:
    r"""The fastest route that is exact: a dense matrix where nearly all
    entries have some weight, edge weights otherwise.
    """
    few_edges = not isinstance(pairs, AllPairs) or type(sampler) is Bernoulli
    routes = [EdgeWeight, DenseAdjacency]
    if not few_edges:
        routes.reverse()
    for route in routes:
        if route.refuses(conv) is None:
            return route(conv)
    # Nothing fits: the route that comes nearest says what is wrong.
    dense = any(isinstance(module, DENSE_CONVS) for module in conv.modules())
    return DenseAdjacency(conv) if dense else EdgeWeight(conv)
