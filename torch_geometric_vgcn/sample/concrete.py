import math
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import sigmoid
from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.graph_sample import GraphSample, Noise
from torch_geometric_vgcn.utils import POSITIVE, checked, pieces


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

    relaxed: ClassVar[bool] = True

    @checked(temperature=POSITIVE, tolerance=POSITIVE)
    def __init__(
        self, temperature: float = 0.5, tolerance: float = 1e-3
    ) -> None:
        super().__init__()
        self.temperature = temperature
        self.tolerance = tolerance

    def describe(self, prior: Prior) -> str:
        if not prior.has_background:
            return ''
        return (
            f'background pairs: kept above {self.threshold(prior):.2g}, a '
            f'node loses {self.tolerance:.2g} of weight at most'
        )

    def threshold(self, prior: Prior) -> float:
        r"""The weight :math:`\epsilon` below which background pairs are left
        out.
        """
        return sigmoid(self._threshold_logit(prior))

    def _threshold_logit(self, prior: Prior) -> float:
        tau = self.temperature
        if tau >= 1:
            raise ValueError(
                "'temperature' must be below 1 with candidate pairs (nearly "
                f'all background pairs would have some weight), got {tau}: '
                'lower it or use AllPairs'
            )
        # Logarithms, as the threshold itself may be too small a number:
        log_share = math.log(self.tolerance) + math.log1p(-tau)
        log_share -= math.log(prior.num_nodes) + math.log(tau)
        log_share -= prior.background_logit
        return min(log_share / (1 - tau), 0.0)

    def background_prob(self, prior: Prior) -> float:
        r"""The probability that a background pair exceeds the threshold."""
        logit = prior.background_logit
        logit -= self.temperature * self._threshold_logit(prior)
        return min(sigmoid(logit), 1 - 1e-12)

    def background_weight(
        self, prior: Prior, drawn: Tensor, generator: torch.Generator | None
    ) -> Tensor:
        # Given that it exceeds the threshold, the noise's upper tail
        # probability is uniform below that of being drawn:
        uniform = torch.rand(
            drawn.shape,
            generator=generator,
            dtype=torch.promote_types(prior.logits.dtype, torch.float),
            device=drawn.device,
        )
        tail = self.background_prob(prior) * (1 - uniform)
        logit = prior.background_logit - tail.logit_()
        return torch.sigmoid(logit / self.temperature) * drawn

    def forward(
        self, prior: Prior, logits: Tensor, noise: Noise
    ) -> GraphSample:
        self.check_noise(prior, logits, noise)
        weight = _Relaxed.apply(logits, noise.logistic, self.temperature)
        return GraphSample(
            prior,
            logits,
            weight,
            noise.background,
            logistic=noise.logistic,
            temperature=self.temperature,
        )

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
