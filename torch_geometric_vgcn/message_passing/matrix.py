import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn.models.basic_gnn import BasicGNN

from torch_geometric_vgcn.kernels.sparse_features import Features
from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    message_passing_modules,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.edge_weight import (
    EdgeWeight,
    refuses_weights,
)
from torch_geometric_vgcn.message_passing.message_gate import MessageGate
from torch_geometric_vgcn.message_passing.symmetric_matrix import (
    SymmetricMatrix,
)
from torch_geometric_vgcn.message_passing.twins import TWINS, twins
from torch_geometric_vgcn.sample import GraphSample


class AdjacencyMatrix(Route):
    r"""Calls :obj:`conv(x, adj)` with symmetric matrices in the place of
    :obj:`edge_index`, dense or sparse as the pairs are, from which GCN-like
    convs compute the same as from edges, while the call lasts. Models of
    PyG's own take all sampled graphs in one call.

    A model that does more with :obj:`edge_index` than to hand it on to its
    convs is found out in its first call, and takes another route from then
    on.
    """

    def __init__(self, conv: Module) -> None:
        super().__init__(conv)
        self.general = general_route(conv)
        self.gives_way = False
        self.features = Features()

    @staticmethod
    def refuses(conv: Module) -> str | None:
        for module in message_passing_modules(conv):
            if type(module) not in TWINS:
                return (
                    f"'conv' ({type(conv).__name__}): "
                    f'{type(module).__name__} has no form for matrices'
                )
        return Route.refuses(conv) or refuses_weights(conv)

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        if torch.compiler.is_compiling():
            return self.general(conv, x, sample, attributes)
        if attributes is not no_attributes:
            self.gives_way = True
        if not self.gives_way:
            try:
                return self.through(conv, x, sample)
            except (AttributeError, IndexError, TypeError):
                if self.checked:
                    raise
                self.gives_way = True
        return self.general(conv, x, sample, attributes)

    def through(self, conv: Module, x: Tensor, sample: GraphSample) -> Tensor:
        r"""Calls the conv on all sampled graphs, at once if it can take
        them.
        """
        if len(sample) == 1 or not takes_batches(conv):
            return super().__call__(conv, x, sample)
        with twins(conv):
            out = conv(x, SymmetricMatrix(sample, slice(None), self.features))
        self.check(conv, out, sample.weight)
        return out

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        with twins(conv):
            out = conv(x, SymmetricMatrix(sample, s, self.features))
        return out, sample.weight

    def __repr__(self) -> str:
        return repr(self.general) if self.gives_way else super().__repr__()


def general_route(conv: Module) -> Route:
    r"""The route along edges, which makes no demands on a model."""
    if EdgeWeight.refuses(conv) is None:
        return EdgeWeight(conv)
    return MessageGate(conv)


def takes_batches(conv: Module) -> bool:
    r"""Whether :obj:`conv` is one that takes features :obj:`[S, N, F]`."""
    if isinstance(conv, BasicGNN):
        plain = all(isinstance(m, torch.nn.Identity) for m in conv.norms)
        return plain and conv.jk_mode != 'lstm'
    return type(conv) in TWINS
