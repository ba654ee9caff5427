from contextlib import AbstractContextManager
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.nn import APPNP, GCN, GCNConv

from torch_geometric_vgcn.message_passing.base import (
    Attributes,
    Route,
    check_call,
    check_output,
    message_passing_modules,
    no_attributes,
)
from torch_geometric_vgcn.message_passing.edge_weight import refuses_weights
from torch_geometric_vgcn.message_passing.replica import Replica
from torch_geometric_vgcn.message_passing.symmetric_matrix import (
    SymmetricMatrix,
)
from torch_geometric_vgcn.message_passing.twins import (
    TWINS,
    has_hooks,
    has_twin,
    twin_of,
)
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import SparseFeatures, kernels_work


class AdjacencyMatrix(Route):
    r"""Calls :obj:`conv(x, adj)` with symmetric matrices in the place of
    :obj:`edge_index`, dense or sparse as the pairs are, from which GCN-like
    convs compute the same as from edges. PyG's own :class:`GCN` takes all
    sampled graphs in one call.
    """

    compiles: ClassVar[bool] = False

    def __init__(self, conv: Module) -> None:
        super().__init__(conv)
        self.features = SparseFeatures()

    @staticmethod
    def refuses(conv: Module) -> str | None:
        reason = Route.refuses(conv)
        if reason is not None:
            return reason
        name = type(conv).__name__
        for module in message_passing_modules(conv):
            own = type(module).__name__
            if type(module) not in TWINS:
                return f"'conv' ({name}): {own} has no form for matrices"
            if isinstance(module, GCNConv) and module.improved:
                return (
                    f"'conv' ({name}): {own}(improved=True) has self-loops "
                    'of another weight with edge weights than without'
                )
            if isinstance(module, APPNP) and module.dropout > 0:
                return f"'conv' ({name}): {own}(dropout > 0) drops edges"
        return refuses_weights(conv)

    def fits(
        self, conv: Module, x: Tensor, sample: GraphSample, attributes: bool
    ) -> bool:
        # What watches messages would see none:
        if attributes or any(map(has_hooks, message_passing_modules(conv))):
            return False
        weight = sample.weight
        dense = not isinstance(sample.prior.pairs, Candidates)
        return dense or kernels_work(weight.device, weight.dtype)

    def unchanged(self, x: Tensor) -> AbstractContextManager[None]:
        return self.features.unchanged(x)

    def batches(self, conv: Module) -> bool:
        if isinstance(conv, GCN) and type(conv) is GCN:
            plain = all(isinstance(m, torch.nn.Identity) for m in conv.norms)
            return plain and conv.jk_mode != 'lstm'
        return type(conv) in TWINS or getattr(
            conv, 'takes_several_graphs', False
        )

    def __call__(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        attributes: Attributes = no_attributes,
    ) -> Tensor:
        check_call(conv, x, sample)
        if len(sample) == 1 or not self.batches(conv):
            return super().__call__(conv, x, sample, attributes)
        return self._through(conv, x, sample, slice(None))

    def carry(
        self,
        conv: Module,
        x: Tensor,
        sample: GraphSample,
        s: int,
        attributes: Attributes,
    ) -> Tensor:
        return self._through(conv, x, sample, s)

    def _through(
        self, conv: Module, x: Tensor, sample: GraphSample, which: int | slice
    ) -> Tensor:
        adj = SymmetricMatrix(sample, which, self.features)
        with Replica(conv, has_twin).changed(twin_of) as twin:
            return check_output(conv, twin(x, adj))
