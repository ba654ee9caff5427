from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn import FixedGraph
from torch_geometric_vgcn.objective import Bound


class DropoutPasses(FixedGraph):
    r"""A network on one graph that takes as many passes as a learner takes
    graphs: they differ by dropout only. In evaluation mode there is one.
    """

    def forward(
        self, x: Tensor, num_samples: int = 1, **kwargs: Any
    ) -> Tensor:
        count = num_samples if self.training else 1
        passes = [FixedGraph.forward(self, x) for _ in range(count)]
        return torch.stack(passes) if count > 1 else passes[0]

    def objective(self, out: Tensor, y: Tensor, mask: Tensor) -> Bound:
        r"""The mean over the passes."""
        passes = out if out.dim() > 2 else out.unsqueeze(0)
        bounds = [FixedGraph.objective(self, each, y, mask) for each in passes]
        return Bound(
            *(torch.stack(p).mean() for p in zip(*bounds, strict=True))
        )
