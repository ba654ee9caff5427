from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.objective import Bound, Categorical


class FixedGraph(Module):
    r"""A PyG conv or model on a graph that is taken as it is: the baseline to
    compare :class:`VariationalGraphLearner` with, in the same calls.

    Args:
        conv (torch.nn.Module): The PyG conv or model.
        edge_index (Tensor): The graph.
    """

    edge_index: Tensor

    def __init__(self, conv: Module, edge_index: Tensor) -> None:
        super().__init__()
        self.conv = conv
        self.likelihood = Categorical()
        self.register_buffer('edge_index', edge_index, persistent=False)

    def forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self.conv(x, self.edge_index)

    def objective(self, out: Tensor, y: Tensor, mask: Tensor) -> Bound:
        r"""The log-likelihood, with nothing to subtract."""
        total = self.likelihood.log_prob(out[mask], y[mask]).sum()
        zero = torch.zeros_like(total)
        return Bound(total, total, zero, -total / y[mask].numel())

    @torch.no_grad()
    def predict(self, x: Tensor, **kwargs: Any) -> Tensor:
        r"""The class probabilities, of shape :obj:`[N, C]`."""
        training = self.training
        self.eval()
        try:
            return self.likelihood.mean(self(x))
        finally:
            self.train(training)
