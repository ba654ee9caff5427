r"""What convs compute from an adjacency matrix that knows :obj:`adj @ x` and
its row sums :obj:`adj.degree`, dense or sparse, one graph or several at once.
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


def _normalized(adj: Any, x: Tensor, loop: float = 1.0) -> Tensor:
    r""":math:`\mathbf{D}^{-1/2} (\mathbf{A} + \ell \mathbf{I})
    \mathbf{D}^{-1/2} \mathbf{X}`.
    """
    scale = (adj.degree + loop).rsqrt()
    x = scale * x
    return scale * (adj @ x + loop * x)


def _gcn(
    conv: GCNConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    x = conv.lin(x)
    if conv.normalize:
        out = _normalized(adj, x, 2.0 if conv.improved else 1.0)
    else:
        out = adj @ x
    return out if conv.bias is None else out + conv.bias


def _graph(
    conv: GraphConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    return conv.lin_rel(adj @ x) + conv.lin_root(x)


def _sg(conv: SGConv, x: Tensor, adj: Any, edge_weight: None = None) -> Tensor:
    # The sums and the linear map commute: the narrower side first.
    narrow = conv.lin.out_channels < conv.lin.in_channels
    out = x @ conv.lin.weight.t() if narrow else x
    for _ in range(conv.K):
        out = _normalized(adj, out)
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
