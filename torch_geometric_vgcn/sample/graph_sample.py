from dataclasses import dataclass, field

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.noise import BackgroundEdges
from torch_geometric_vgcn.utils import check_count


@dataclass(eq=False)
class GraphSample:
    r""":math:`S` graphs drawn from a posterior.

    Args:
        prior (Prior): The prior, with the pairs.
        logits (Tensor): The posterior's logits :math:`\theta`, of shape
            :obj:`[P]`.
        weight (Tensor): The sampled edge weights :math:`A`, of shape
            :obj:`[S, P]`.
        background (BackgroundEdges, optional): The edges outside the pairs.
            (default: :obj:`None`)
        logistic (Tensor, optional): Of relaxed weights :math:`A = \sigma(B)`,
            :math:`B = (\theta + L) / \tau`: the noise :math:`L`, of shape
            :obj:`[S, P]`. (default: :obj:`None`)
        temperature (float, optional): Of relaxed weights: the temperature
            :math:`\tau`. (default: :obj:`None`)
        log_prob (Tensor, optional): Of weights in :math:`\{0, 1\}` that have
            no gradient: their log-probabilities :math:`\log q(\mathbf{A})`,
            of shape :obj:`[S]`, through which the logits get that of the score
            function. (default: :obj:`None`)
    """

    prior: Prior
    logits: Tensor
    weight: Tensor
    background: BackgroundEdges | None = None
    logistic: Tensor | None = field(default=None, kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    log_prob: Tensor | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return self.weight.size(0)

    @property
    def pathwise(self) -> bool:
        r"""Whether the logits get a gradient through the weights."""
        return self.log_prob is None

    @property
    def relaxed(self) -> Tensor:
        r"""The logits :math:`B` of relaxed weights, of shape
        :obj:`[S, P]`.
        """
        if self.logistic is None or self.temperature is None:
            raise ValueError('only relaxed weights have logits')
        return (self.logits + self.logistic) / self.temperature

    def score(self, value: Tensor) -> Tensor:
        r"""A term of value zero whose gradient is what that of the mean of
        :obj:`value`, of shape :obj:`[S]`, lacks: nothing, for samples with a
        pathwise gradient, and otherwise that of the score function.
        """
        if self.log_prob is None:
            return value.new_zeros(())
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
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index` and
        :obj:`edge_weight`. Without a pathwise gradient these are only the
        edges that are there.
        """
        check_count(s, 's', most=len(self) - 1)
        index, weight = self.prior.pairs.index, self.weight[s]
        if not self.pathwise:
            there = weight.nonzero().view(-1)
            index, weight = index[:, there], weight[there]
        if self.background is not None:
            others, other_weight = self.background.of(s)
            index = torch.cat([index, others], dim=1)
            weight = torch.cat([weight, other_weight])
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, torch.cat([weight, weight])

    def dense(self, s: int) -> Tensor:
        r"""The :obj:`s`-th graph as a dense symmetric matrix
        :obj:`[N, N]`.
        """
        check_count(s, 's', most=len(self) - 1)
        pairs = self.prior.pairs
        if isinstance(pairs, AllPairs):
            return pairs.to_dense(self.weight[s])
        edge_index, weight = self.edges(s)
        n = pairs.num_nodes
        adj = weight.new_zeros(n, n)
        return adj.index_put(tuple(edge_index), weight, accumulate=True)
