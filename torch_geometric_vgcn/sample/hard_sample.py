from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from torch_geometric_vgcn.sample.graph_sample import GraphSample
from torch_geometric_vgcn.utils import check_count


@dataclass(eq=False, kw_only=True)
class HardSample(GraphSample):
    r"""Graphs with weights in :math:`\{0, 1\}` that have no gradient: the
    logits get that of the score function.

    Args:
        log_prob (Tensor): The log-probabilities :math:`\log q(\mathbf{A})`,
            of shape :obj:`[S]`.
    """

    pathwise: ClassVar[bool] = False

    log_prob: Tensor

    def score(self, value: Tensor) -> Tensor:
        s = len(self)
        if s < 2:
            raise ValueError(
                'the score-function gradient needs the other samples as '
                f"baseline: 'num_samples' must be at least 2, got {s}"
            )
        # f - (mean of the others) = (f - mean) * S / (S - 1)
        advantage = (value - value.mean()) * s / (s - 1)
        score = (advantage.detach() * self.log_prob).mean()
        return score - score.detach()

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index`, only of the
        edges that are there, and weights of one.
        """
        check_count(s, 's', most=len(self) - 1)
        there = self.weight[s].nonzero().view(-1)
        index = self.prior.pairs.index[:, there]
        if self.background is not None:
            others, _ = self.background.of(s)
            index = torch.cat([index, others], dim=1)
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, self.weight.new_ones(edge_index.size(1))
