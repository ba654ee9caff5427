from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.message_passing.shallow_copy import evaluated
from torch_geometric_vgcn.utils import (
    check_floats,
    check_kind,
    check_num_outputs,
    explained,
)


class Surrogate(Module):
    r"""A network in evaluation mode as PyG's attacks want it, with
    log-probabilities as outputs. The network itself is left as it is.

    Args:
        network (torch.nn.Module): The network.
    """

    def __init__(self, network: Any) -> None:
        super().__init__()
        check_kind(network, Module, 'surrogate(data)')
        self.network = evaluated(network)

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor
    ) -> Tensor:
        edge_weight = edge_weight.to(x.dtype)
        with explained(self.network, x, 'surrogate'):
            out = self.network(x, edge_index, edge_weight=edge_weight)
        check_floats(out, (x.size(0), 'C'), 'surrogate(data)(x, edge_index)')
        return out.log_softmax(dim=-1)

    def check(self, x: Tensor, edge_index: Tensor, num_classes: int) -> Tensor:
        r"""Expects one finite output per class, which depends on the edge
        weights. Returns the outputs.
        """
        weight = torch.ones(
            edge_index.size(1), device=x.device, requires_grad=True
        )
        with torch.enable_grad():
            out = self(x, edge_index, weight)
            check_num_outputs(out.size(1), num_classes - 1, 'data.y')
            if not bool(out.isfinite().all()):
                raise ValueError(
                    "'surrogate' must have finite outputs, got NaN or "
                    'infinite values'
                )
            total = (out * torch.randn_like(out)).sum()
            grad = None
            if total.requires_grad:
                (grad,) = torch.autograd.grad(total, weight, allow_unused=True)
        if grad is None or not bool(grad.any()):
            raise ValueError(
                f"'surrogate' must use the graph, got a "
                f'{type(self.network).__name__} whose outputs have no '
                "gradient by 'edge_weight'"
            )
        return out.detach()
