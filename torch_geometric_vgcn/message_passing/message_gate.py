import inspect

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import Aggregation

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    message_passing_modules,
)
from torch_geometric_vgcn.message_passing.edge_weights import EdgeWeights
from torch_geometric_vgcn.sample import GraphSample


class MessageGate(Route):
    r"""Calls :obj:`conv(x, edge_index)` of any convs, with each edge counted
    by its weight wherever a conv sums over edges: in its aggregation, in
    attention's softmax, in degrees and their normalisation. See
    :class:`~torch_geometric_vgcn.message_passing.edge_weights.EdgeWeights`.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        for module in message_passing_modules(conv):
            aggr = module.aggr_module
            if aggr is not None and _reads_in_order(aggr):
                return (
                    f"'conv' ({type(conv).__name__}) contains "
                    f'{type(aggr).__name__}, which reads the edges of a node '
                    'one after another, so that they can have no weights: '
                    'only hard samples fit it (sampler=Bernoulli())'
                )
        return Route.refuses(conv)

    @torch.compiler.disable
    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Tensor:
        edge_index, weight = sample.edges(s)
        with EdgeWeights(edge_index, weight, x.size(-2)):
            return conv(x, edge_index, **attributes(edge_index))


def _reads_in_order(aggr: Aggregation) -> bool:
    r"""Whether an aggregation wants the edges sorted by their targets."""
    forward = inspect.unwrap(type(aggr).forward)
    return 'to_dense_batch' in forward.__code__.co_names
