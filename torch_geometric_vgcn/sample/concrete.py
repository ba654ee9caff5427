import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from torch_geometric_vgcn.checks import check_positive
from torch_geometric_vgcn.kernels.pieces import pieces
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import logit
from torch_geometric_vgcn.sample.background import draw_background
from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.graph_sample import Edges, GraphSample, Noise


class BinaryConcrete(Sampler):
    r"""Relaxed edges from the binary Concrete distribution of the `"The
    Concrete Distribution" <https://arxiv.org/abs/1611.00712>`_ paper

    .. math::
        A_{ij} = \sigma(B_{ij}), \quad B_{ij} = (\theta_{ij} + L) / \tau,
        \quad L \sim \mathrm{Logistic}(0, 1),

    with a pathwise gradient to each logit.

    Pairs outside the candidates that come out below a threshold
    :math:`\epsilon` are left out. It is chosen so that the weight that a node
    loses, about :math:`N \bar\rho_0 \epsilon^{1-\tau} \tau / (1-\tau)`, stays
    under :obj:`tolerance`.

    Args:
        temperature (float, optional): The temperature :math:`\tau`.
            (default: :obj:`0.5`)
        tolerance (float, optional): How much weight of background pairs a
            node may lose on average. (default: :obj:`1e-3`)
    """

    def __init__(
        self, temperature: float = 0.5, tolerance: float = 1e-3
    ) -> None:
        super().__init__()
        self.temperature = check_positive(temperature, 'temperature')
        self.tolerance = check_positive(tolerance, 'tolerance')

    def check(self, prior: Prior) -> None:
        if prior.has_background:
            self.threshold(prior)

    def threshold(self, prior: Prior) -> float:
        r"""The weight :math:`\epsilon` below which background pairs are left
        out.
        """
        tau = self.temperature
        if tau >= 1:
            raise ValueError(
                "'temperature' must be below 1 with candidate pairs (nearly "
                f'all background pairs would have some weight), got {tau}: '
                'lower it or use AllPairs'
            )
        odds = prior.background / (1 - prior.background)
        share = self.tolerance * (1 - tau) / (prior.num_nodes * odds * tau)
        limit = share ** (1 / (1 - tau))
        return min(limit / (1 + limit), 0.5)

    def background(
        self,
        prior: Prior,
        num_samples: int = 1,
        generator: torch.Generator | None = None,
    ) -> Edges:
        tau, theta = self.temperature, prior.background_logit
        prob = 1 / (1 + math.exp(tau * logit(self.threshold(prior)) - theta))
        index, drawn = draw_background(
            prior.pairs, prob, num_samples, generator
        )
        # Given that it exceeds the threshold, the noise's upper tail
        # probability is uniform below 'prob':
        uniform = torch.rand(
            drawn.shape,
            generator=generator,
            dtype=prior.logits.dtype,
            device=index.device,
        )
        tail = prob * (1 - uniform)
        weight = torch.sigmoid((theta - tail.logit_()) / tau)
        return Edges(index, weight * drawn)

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        weight = _Relaxed.apply(logits, noise.logistic, self.temperature)
        return GraphSample(prior, logits, weight, noise, self.temperature)

    def extra_repr(self) -> str:
        return f'temperature={self.temperature:.3g}'


class _Relaxed(torch.autograd.Function):
    r"""The weights :math:`\sigma((\theta + L) / \tau)`, in pieces that stay in
    the processor's cache.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, logistic: Tensor, tau: float
    ) -> Tensor:
        weight = torch.empty_like(logistic)
        for theta, noise, piece in pieces(logits, logistic, weight):
            torch.add(theta, noise, out=piece).div_(tau).sigmoid_()
        ctx.save_for_backward(weight)
        ctx.tau = tau
        return weight

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        (weight,) = ctx.saved_tensors
        out = torch.empty_like(weight[0])
        for g, w, piece in pieces(grad, weight, out):
            slope = torch.ops.aten.sigmoid_backward(g, w)
            torch.sum(slope, dim=0, out=piece)
        return out.div_(ctx.tau), None, None
