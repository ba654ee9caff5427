import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Attributes, Route
from torch_geometric_vgcn.message_passing.gate import Gate, counts_edges
from torch_geometric_vgcn.message_passing.replica import Replica
from torch_geometric_vgcn.sample import GraphSample


class MessageGate(Route):
    r"""Calls :obj:`conv(x, edge_index)` of any convs, with each edge counted
    by its weight wherever a conv sums over edges: in its aggregation, in
    attention's softmax, in degrees and their normalisation.

    The call goes to a shallow copy of the conv, whose methods see weighted
    versions of :func:`~torch_geometric.utils.scatter`,
    :func:`~torch_geometric.utils.softmax`,
    :func:`~torch_geometric.utils.degree` and of
    :meth:`~torch_geometric.nn.aggr.Aggregation.reduce`. The conv itself is
    not touched. A sum over edges that can't be identified is an error.
    """

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
        gate = Gate(edge_index, weight, x.size(-2))
        with Replica(conv, counts_edges).changed(gate.changes) as gated:
            return gated(x, edge_index, **attributes(edge_index))
