from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn import FixedGraph


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
