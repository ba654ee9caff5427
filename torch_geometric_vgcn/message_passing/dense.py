from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    DenseGATConv,
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
    GCNConv,
    GraphConv,
    MessagePassing,
)

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    message_passing_modules,
)
from torch_geometric_vgcn.message_passing.edge_weight import EdgeWeight
from torch_geometric_vgcn.sample import GraphSample

DENSE_CONVS = (
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
    DenseGATConv,
)


class DenseAdjacency(Route):
    r"""Calls :obj:`conv(x, adj)` with a dense symmetric matrix: for PyG's
    dense convs, and for :class:`~torch_geometric.nn.GCNConv` and
    :class:`~torch_geometric.nn.GraphConv`, which compute the same on a matrix
    while the call lasts.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        name = type(conv).__name__
        sparse = message_passing_modules(conv)
        dense = [m for m in conv.modules() if isinstance(m, DENSE_CONVS)]
        if sparse and dense:
            return f"'conv' ({name}) mixes dense and message passing layers"
        if sparse:
            for module in sparse:
                if type(module) not in TWINS:
                    return (
                        f"'conv' ({name}) contains {type(module).__name__}, "
                        'which has no dense twin'
                    )
            return EdgeWeight.refuses(conv)
        if len(dense) == 0:
            return f"'conv' ({name}) contains no PyG dense layer"
        for module in dense:
            if isinstance(module, DenseGATConv) or (
                getattr(module, 'aggr', 'add') == 'max'
            ):
                return (
                    f"'conv' ({name}) contains {module}, which gives no "
                    'gradient to the adjacency matrix'
                )
        return None

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        adj = sample.adjacency(s)
        with _dense_twins(conv):
            out = conv(x, adj)
        # PyG's dense convs add a batch dimension to whatever has none:
        return out.squeeze(0) if out.dim() > x.dim() else out, adj


def _gcn(
    conv: GCNConv, x: Tensor, adj: Tensor, edge_weight: None = None
) -> Tensor:
    x = conv.lin(x)
    if conv.normalize:
        loop = 2.0 if conv.improved else 1.0
        scale = (adj.sum(dim=-1, keepdim=True) + loop).rsqrt()
        x = scale * x
        out = scale * (adj @ x + loop * x)
    else:
        out = adj @ x
    return out if conv.bias is None else out + conv.bias


def _graph(
    conv: GraphConv, x: Tensor, adj: Tensor, edge_weight: None = None
) -> Tensor:
    return conv.lin_rel(adj @ x) + conv.lin_root(x)


TWINS: dict[type[MessagePassing], Callable[..., Tensor]] = {
    GCNConv: _gcn,
    GraphConv: _graph,
}


@contextmanager
def _dense_twins(conv: Module) -> Iterator[None]:
    r"""Lets each conv compute on a dense matrix for a while."""
    convs = message_passing_modules(conv)
    try:
        for module in convs:
            twin = TWINS[type(module)]
            module.forward = twin.__get__(module)
        yield
    finally:
        for module in convs:
            module.__dict__.pop('forward', None)
