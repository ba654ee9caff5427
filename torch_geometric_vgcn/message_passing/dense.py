from typing import ClassVar

from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import (
    DenseGATConv,
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
)

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    check_output,
    message_passing_modules,
)
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
    dense convs and models made of them, for which an entry of zero is a
    missing edge.
    """

    deletes: ClassVar[bool] = True

    @staticmethod
    def refuses(conv: Module) -> str | None:
        name = type(conv).__name__
        dense = [m for m in conv.modules() if isinstance(m, DENSE_CONVS)]
        if len(dense) == 0:
            return f"'conv' ({name}) contains no PyG dense layer"
        if message_passing_modules(conv):
            return f"'conv' ({name}) mixes dense and message passing layers"
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
    ) -> Tensor:
        out = check_output(conv, conv(x, sample.dense(s)))
        # PyG's dense convs add a batch dimension to whatever has none:
        return out.squeeze(0) if out.dim() > x.dim() else out
