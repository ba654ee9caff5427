from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn.models.basic_gnn import BasicGNN

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
from torch_geometric_vgcn.message_passing.twins import TWINS, twins
from torch_geometric_vgcn.sample import GraphSample


class MatrixRoute(Route):
    r"""Calls :obj:`conv(x, adj)` with a matrix in the place of
    :obj:`edge_index`, from which GCN-like convs compute the same as from
    edges, while the call lasts.

    A model that does more with :obj:`edge_index` than to hand it on to its
    convs is found out in its first call, and takes another route from then
    on.
    """

    def __init__(self, conv: Module) -> None:
        super().__init__(conv)
        self.general = general_route(conv)
        self.gives_way = False

    @staticmethod
    def refuses(conv: Module) -> str | None:
        for module in message_passing_modules(conv):
            if type(module) not in TWINS:
                return (
                    f"'conv' ({type(conv).__name__}): "
                    f'{type(module).__name__} has no form for matrices'
                )
        return Route.refuses(conv) or refuses_weights(conv)

    @abstractmethod
    def adjacency(self, sample: GraphSample, which: Sequence[int]) -> Any:
        r"""The matrix of some of the sampled graphs."""

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
        r"""Calls the conv on all sampled graphs."""
        return super().__call__(conv, x, sample)

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> tuple[Tensor, Tensor]:
        with twins(conv):
            return conv(x, self.adjacency(sample, [s])), sample.weight

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
