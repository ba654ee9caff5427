from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import softplus

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.graph_sample import GraphSample, Noise


class Bernoulli(Sampler):
    r"""Discrete edges :math:`A_{ij} = \mathbb{1}[\theta_{ij} + L > 0]`,
    :math:`L \sim \mathrm{Logistic}(0, 1)`, so that
    :math:`A_{ij} \sim \mathrm{Bern}(\sigma(\theta_{ij}))`.

    The logits get the score-function gradient, with the mean of the other
    samples as baseline (leave-one-out): unbiased, of high variance, and in
    need of at least two samples. Only the edges that are there are passed on
    to the conv.
    """

    pathwise: ClassVar[bool] = False

    def draw(self, logits: Tensor, noise: Noise) -> Tensor:
        r"""The edges themselves, of shape :obj:`[S, P]`."""
        return (logits.detach() + noise.logistic > 0).to(logits.dtype)

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        self.check_noise(prior, logits, noise)
        weight = self.draw(logits, noise)
        # Sums over all pairs, in at least single precision:
        theta = logits.to(torch.promote_types(logits.dtype, torch.float))
        log_prob = weight.to(theta.dtype) @ theta - softplus(theta).sum()
        return GraphSample(
            prior, logits, weight, noise.background, log_prob=log_prob
        )


class StraightThroughBernoulli(Bernoulli):
    r"""Discrete edges as :class:`Bernoulli` draws them, with the gradient of
    the probability :math:`\sigma(\theta_{ij})` in place of their own
    (straight-through): biased, of low variance.
    """

    pathwise: ClassVar[bool] = True

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        self.check_noise(prior, logits, noise)
        probs = logits.sigmoid()
        weight = self.draw(logits, noise) + (probs - probs.detach())
        return GraphSample(prior, logits, weight, noise.background)
