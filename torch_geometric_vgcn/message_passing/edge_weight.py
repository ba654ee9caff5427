import inspect

from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    APPNP,
    GatedGraphConv,
    GCN2Conv,
    GCNConv,
    GraphConv,
    LEConv,
    MessagePassing,
    SGConv,
    SimpleConv,
    SSGConv,
)
from torch_geometric.nn.models.basic_gnn import BasicGNN

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    message_passing_modules,
)
from torch_geometric_vgcn.sample import GraphSample

# Sums of weighted messages, normalised by weighted degree or not at all.
CONVS = (
    GCNConv,
    SGConv,
    SSGConv,
    APPNP,
    GCN2Conv,
    GraphConv,
    LEConv,
    SimpleConv,
    GatedGraphConv,
)


class EdgeWeight(Route):
    r"""Calls :obj:`conv(x, edge_index, edge_weight=edge_weight)`: for GCN-like
    convs that sum weighted messages, and for models made of them.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        reason = Route.refuses(conv) or refuses_weights(conv)
        if reason is not None:
            return reason
        name = type(conv).__name__
        if isinstance(conv, BasicGNN) and not conv.supports_edge_weight:
            return f"'conv' ({name}) drops the edge weights it is given"
        if 'edge_weight' not in inspect.signature(conv.forward).parameters:
            return (
                f"'conv' ({name}) must have a forward(x, edge_index, "
                'edge_weight) that passes the weights on to its convs'
            )
        return None

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Tensor:
        edge_index, edge_weight = sample.edges(s)
        extra = attributes(edge_index)
        return conv(x, edge_index, edge_weight=edge_weight, **extra)


def refuses_weights(conv: Module) -> str | None:
    r"""Why weights of the convs inside :obj:`conv` don't stand for edges, or
    :obj:`None`.
    """
    for module in message_passing_modules(conv):
        reason = _refuses_conv(module)
        if reason is not None:
            name = type(conv).__name__
            return f"'conv' ({name}) can't take edge weights: {reason}"
    return None


def _refuses_conv(conv: MessagePassing) -> str | None:
    name = type(conv).__name__
    if not isinstance(conv, CONVS):
        known = ', '.join(c.__name__ for c in CONVS)
        return (
            f'{name} is none of the convs whose weighted messages equal a '
            f'graph without the edge ({known})'
        )
    if str(conv.aggr) not in ('add', 'sum'):
        return (
            f"{name}(aggr='{conv.aggr}') doesn't sum its messages, so that a "
            'weight of 0 is not a missing edge'
        )
    if getattr(conv, 'normalize', False) and not getattr(
        conv, 'add_self_loops', True
    ):
        return (
            f'{name}(add_self_loops=False) has no gradient where a node is '
            'left without edges'
        )
    return None
