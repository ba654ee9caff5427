r"""What convs compute from adjacency matrices that know products, for one
graph or several at once.
"""

from collections.abc import Callable
from types import MethodType
from typing import Any

from torch import Tensor
from torch.nn import Module, Parameter
from torch_geometric.nn import (
    APPNP,
    GCNConv,
    GraphConv,
    Linear,
    MessagePassing,
    SGConv,
    SimpleConv,
)


def _gcn(
    conv: GCNConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    x = _linear(adj, conv.lin, x)
    out = adj.normalized(x) if conv.normalize else adj @ x
    return out if conv.bias is None else out + conv.bias


def _graph(
    conv: GraphConv, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    root, rel = conv.lin_root, conv.lin_rel
    out = _linear(adj, root, x)
    if not _narrows(rel):
        return out + _linear(adj, rel, adj @ x)
    out = out + adj @ adj.features.linear(x, rel.weight)
    return out if rel.bias is None else out + rel.bias


def _sg(conv: SGConv, x: Tensor, adj: Any, edge_weight: None = None) -> Tensor:
    lin = conv.lin
    narrow = _narrows(lin)
    out = adj.features.linear(x, lin.weight) if narrow else x
    for _ in range(conv.K):
        out = adj.normalized(out)
    if not narrow:
        return lin(out)
    return out if lin.bias is None else out + lin.bias


def _appnp(
    conv: APPNP, x: Tensor, adj: Any, edge_weight: None = None
) -> Tensor:
    out = x
    for _ in range(conv.K):
        out = adj.normalized(out) if conv.normalize else adj @ out
        out = (1 - conv.alpha) * out + conv.alpha * x
    return out


def _linear(adj: Any, lin: Any, x: Tensor) -> Tensor:
    r"""A conv's linear map: for mostly zero features their sparse product, or
    the layer as it is if there is more to it.
    """
    if not _is_plain(lin):
        return lin(x)
    out = adj.features.linear(x, lin.weight)
    return out if lin.bias is None else out + lin.bias


def _is_plain(lin: Any) -> bool:
    r"""Whether a layer does no more than to multiply by its own weights: it
    isn't lazy, normalised, pruned or watched.
    """
    return (
        type(lin) is Linear
        and type(lin.weight) is Parameter
        and not has_hooks(lin)
    )


def _narrows(lin: Any) -> bool:
    r"""Whether to multiply before the sums over edges, with which a linear
    map commutes: the side with fewer columns is the cheaper one.
    """
    return _is_plain(lin) and lin.out_channels < lin.in_channels


FORWARDS: dict[type[Module], Callable[..., Tensor]] = {
    GCNConv: _gcn,
    GraphConv: _graph,
    SGConv: _sg,
    APPNP: _appnp,
}


def on_matrices(module: Module) -> dict[str, Any]:
    r"""The changes that let a conv compute on a matrix."""
    if type(module) not in FORWARDS:
        return {}
    return {'forward': MethodType(FORWARDS[type(module)], module)}


def has_matrix_form(conv: MessagePassing) -> bool:
    r"""Whether a conv, with its options, computes the same from a matrix."""
    if type(conv) not in FORWARDS or str(conv.aggr) not in ('add', 'sum'):
        return False
    if getattr(conv, 'normalize', False) and not getattr(
        conv, 'add_self_loops', True
    ):
        return False  # without edges there is nothing to divide by
    if getattr(conv, 'improved', False):
        return False  # PyG ignores it where there are no edge weights
    return getattr(conv, 'dropout', 0) == 0  # of edges


# What may run beside a conv's own messages.
MESSAGE_HOOKS = tuple(
    name
    for name in vars(SimpleConv())
    if name.endswith('_hooks') and name not in vars(Module())
)


def has_hooks(module: Module) -> bool:
    r"""Whether something else runs when the module is called, or its messages
    are passed.
    """
    state = module.__dict__
    return bool(
        state['_forward_hooks']
        or state['_forward_pre_hooks']
        or state['_backward_hooks']
        or state['_backward_pre_hooks']
        or (
            isinstance(module, MessagePassing)
            and any(map(state.get, MESSAGE_HOOKS))
        )
    )
