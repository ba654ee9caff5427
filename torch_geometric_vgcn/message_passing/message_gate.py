import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.message_passing.base import Attributes, Route
from torch_geometric_vgcn.message_passing.gate import Gate, gated
from torch_geometric_vgcn.sample import GraphSample


class MessageGate(Route):
    r"""Calls :obj:`conv(x, edge_index)` of any convs, with each edge counted
    by its weight wherever a conv sums over edges: in its aggregation, in
    attention's softmax, in degrees and their normalisation.

    While the call lasts, the convs' own methods see weighted versions of
    :func:`~torch_geometric.utils.scatter`,
    :func:`~torch_geometric.utils.softmax`,
    :func:`~torch_geometric.utils.degree` and of
    :meth:`~torch_geometric.nn.aggr.Aggregation.reduce`. Nothing outside these
    conv objects is touched. On its first graph, the route compares itself
    with really deleting edges, and refuses a conv for which the two differ.
    """

    def __init__(self, conv: Module) -> None:
        super().__init__(conv)
        self.proved = False

    @torch.compiler.disable
    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        edge_index, weight = sample.edges(s)
        if not self.proved:
            prove(conv, x, edge_index, weight, attributes)
            self.proved = True
        with gated(conv, Gate(edge_index, weight, x.size(-2))):
            return conv(x, edge_index, **attributes(edge_index)), weight


@torch.no_grad()
def prove(
    conv: Module,
    x: Tensor,
    edge_index: Tensor,
    weight: Tensor,
    attributes: Attributes,
) -> None:
    r"""Compares weights of zero with really deleting the edges, and raises an
    error if it isn't the same.
    """
    generator = torch.Generator().manual_seed(0)
    half = weight.numel() // 2  # both directions of an edge together
    kept = torch.rand(half, generator=generator) < 0.7
    kept = torch.cat([kept, kept]).to(weight.device)
    training = [module for module in conv.modules() if module.training]
    conv.eval()
    try:
        some = edge_index[:, kept]
        expected = conv(x, some, **attributes(some))
        gate = Gate(edge_index, kept.to(weight.dtype), x.size(-2))
        with gated(conv, gate):
            got = conv(x, edge_index, **attributes(edge_index))
    finally:
        for module in training:
            module.training = True
    scale = expected.abs().max().clamp(min=1e-6)
    error = float((got - expected).abs().max() / scale)
    if not error < 1e-3:
        raise TypeError(
            f"'conv' ({type(conv).__name__}) with edge weights of zero is not "
            f'what it is without those edges (they differ by {error:.2g} of '
            'the largest output): only hard samples fit it '
            '(sampler=Bernoulli())'
        )
