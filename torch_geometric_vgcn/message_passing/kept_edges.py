from typing import ClassVar

from torch import Tensor
from torch.nn import Module
from torch_geometric.utils import sort_edge_index

from torch_geometric_vgcn.message_passing.base import Attributes, Route
from torch_geometric_vgcn.sample import GraphSample


class KeptEdges(Route):
    r"""Calls :obj:`conv(x, edge_index)` with only the edges that are there:
    for hard samples, through any conv as it is.
    """

    deletes: ClassVar[bool] = True

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Tensor:
        edge_index, _ = sample.edges(s)
        # Some aggregations want the edges of a node together:
        edge_index = sort_edge_index(
            edge_index, num_nodes=x.size(-2), sort_by_row=False
        )
        return conv(x, edge_index, **attributes(edge_index))
