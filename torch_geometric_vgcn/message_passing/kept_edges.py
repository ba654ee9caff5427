from torch import Tensor
from torch.nn import Module
from torch_geometric.utils import sort_edge_index

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    message_passing_modules,
    refuses_cached,
)
from torch_geometric_vgcn.sample import GraphSample


class KeptEdges(Route):
    r"""Calls :obj:`conv(x, edge_index)` with only the edges that are there:
    for hard samples, through any conv as it is.
    """

    @staticmethod
    def refuses(conv: Module) -> str | None:
        if len(message_passing_modules(conv)) == 0:
            name = type(conv).__name__
            return f"'conv' ({name}) contains no PyG message passing layer"
        return refuses_cached(conv)

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        edge_index, weight = sample.edges(s)
        # Some aggregations want the edges of a node together:
        edge_index, weight = sort_edge_index(
            edge_index, weight, x.size(-2), sort_by_row=False
        )
        return conv(x, edge_index, **attributes(edge_index)), weight
