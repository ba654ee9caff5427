r"""What convs compute from adjacency matrices that know products, for one
graph or several at once.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import GCNConv, GraphConv, MessagePassing, SGConv

from torch_geometric_vgcn.message_passing.base import (
    message_passing_modules,
    overridden,
)


def _gcn(
    conv: GCNConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    x = adj.features.linear(x, conv.lin.weight)
    if conv.normalize:
        out = adj.normalized(x, 2.0 if conv.improved else 1.0)
    else:
        out = adj @ x
    return out if conv.bias is None else out + conv.bias


def _graph(
    conv: GraphConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    root, rel = conv.lin_root, conv.lin_rel
    out = adj.features.linear(x, root.weight)
    # The sum and the linear map commute: the narrower side first.
    if rel.out_channels < rel.in_channels:
        out = out + adj @ adj.features.linear(x, rel.weight)
    else:
        out = out + adj.features.linear(adj @ x, rel.weight)
    return out if rel.bias is None else out + rel.bias


def _sg(conv: SGConv, x: Tensor, adj: Any, edge_weight: None = None) -> Tensor:
    # The sums and the linear map commute: the narrower side first.
    narrow = conv.lin.out_channels < conv.lin.in_channels
    out = adj.features.linear(x, conv.lin.weight) if narrow else x
    for _ in range(conv.K):
        out = adj.normalized(out)
    if not narrow:
        return conv.lin(out)
    return out if conv.lin.bias is None else out + conv.lin.bias


TWINS: dict[type[MessagePassing], Callable[..., Tensor]] = {
    GCNConv: _gcn,
    GraphConv: _graph,
    SGConv: _sg,
}


def twins(conv: Module) -> AbstractContextManager[None]:
    r"""Lets each conv inside :obj:`conv` compute on a matrix for a while."""
    return overridden(
        (module, 'forward', TWINS[type(module)].__get__(module))
        for module in message_passing_modules(conv)
    )
