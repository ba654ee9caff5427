import math
from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import Module
from torch.nn.functional import softplus

from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import (
    POSITIVE,
    check_floats,
    check_kind,
    checked,
    pieces,
    wide,
)
from torch_geometric_vgcn.utils.deprecated import former_methods


class KL(Module, ABC):
    r"""The divergence of the posterior from the prior, or an estimate of it,
    :obj:`[S]` numbers. Pairs outside the candidates add nothing: their
    posterior is their prior.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        former_methods(cls, divergence='forward')

    @abstractmethod
    def forward(
        self, sample: GraphSample, weight: Tensor | None = None
    ) -> Tensor:
        r"""Sums over the pairs, each as often as its :obj:`weight` says, of
        shape :obj:`[P]`.
        """

    def check_sample(self, sample: GraphSample, weight: Tensor | None) -> None:
        r"""Expects weights for the pairs of a sample."""
        check_kind(sample, GraphSample, 'sample')
        if weight is not None:
            check_floats(weight, (len(sample.prior.pairs),), 'weight')


class BernoulliKL(KL):
    r"""The closed form for discrete edges

    .. math::
        \sum_{i<j} \rho_{ij} \log \frac{\rho_{ij}}{\rho^o_{ij}} +
        (1 - \rho_{ij}) \log \frac{1 - \rho_{ij}}{1 - \rho^o_{ij}} =
        \sum_{i<j} \rho_{ij} (\theta_{ij} - \theta^o_{ij}) -
        \mathrm{softplus}(\theta_{ij}) + \mathrm{softplus}(\theta^o_{ij}),

    the same for each sample.
    """

    def forward(
        self, sample: GraphSample, weight: Tensor | None = None
    ) -> Tensor:
        self.check_sample(sample, weight)
        theta, prior = sample.logits, sample.prior.logits
        kl = theta.sigmoid() * (theta - prior)
        kl = kl + (softplus(prior) - softplus(theta))
        total = kl.sum() if weight is None else kl @ weight
        return total.expand(len(sample))


class LogisticKL(KL):
    r"""The Monte-Carlo estimate for relaxed edges

    .. math::
        \sum_{i<j} \log g_{\theta, \tau}(B_{ij}) -
        \log f_{\theta^o, \tau_o}(B_{ij}), \quad
        \log g_{\theta, \tau}(B) = \log \tau + (\theta - \tau B) -
        2\, \mathrm{softplus}(\theta - \tau B),

    where :math:`f` is the same density with the prior's logits and
    temperature. It is taken over the samples' logits :math:`B`: over the
    weights :math:`\sigma(B)` it saturates.

    Args:
        temperature (float, optional): The prior's temperature
            :math:`\tau_o`. (default: :obj:`0.5`)
    """

    @checked(temperature=POSITIVE)
    def __init__(self, temperature: float = 0.5) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(
        self, sample: GraphSample, weight: Tensor | None = None
    ) -> Tensor:
        self.check_sample(sample, weight)
        tau = sample.temperature
        if tau is None:
            raise TypeError(
                'LogisticKL needs relaxed samples (BinaryConcrete), got '
                'samples without a temperature: use BernoulliKL'
            )
        kl = _LogRatio.apply(
            sample.logits,
            sample.prior.logits,
            sample.logistic,
            self.temperature / tau,
            weight,
        )
        pairs = len(sample.prior.pairs) if weight is None else weight.sum()
        return kl + pairs * math.log(tau / self.temperature)

    def extra_repr(self) -> str:
        return f'temperature={self.temperature:.3g}'


class _LogRatio(torch.autograd.Function):
    r"""The sum over pairs of :math:`h(L) - h(Z)`, where
    :math:`h(z) = \log \sigma(z) + \log \sigma(-z)` and
    :math:`Z = \theta^o - r (\theta + L)`, for the noise :math:`L` and
    temperatures in the ratio :math:`r`. With the noise fixed, the density of
    the posterior doesn't depend on its logits.
    """

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        prior: Tensor,
        noise: Tensor,
        ratio: float,
        weight: Tensor | None,
    ) -> Tensor:
        ctx.save_for_backward(logits, prior, noise, weight)
        ctx.ratio = ratio
        total = noise.new_zeros(noise.size(0), dtype=wide(noise.device))
        given = (logits, prior, noise) + (() if weight is None else (weight,))
        for theta, theta_o, own, *times in pieces(*given):
            # h(z) = -|z| - 2 log(1 + exp(-|z|))
            z = _prior_noise(theta, theta_o, own, ratio).abs_()
            own = own.abs()
            odds = torch.exp(-z).add_(1).div_(torch.exp(-own).add_(1))
            log_ratio = odds.log_().mul_(2).add_(z).sub_(own)
            if times:
                log_ratio.mul_(times[0])
            total += log_ratio.sum(dim=1, dtype=total.dtype)
        return total.to(noise.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Any:
        logits, prior, noise, weight = ctx.saved_tensors
        out = torch.empty_like(logits)
        for theta, theta_o, own, piece in pieces(logits, prior, noise, out):
            # h'(z) = 1 - 2 sigmoid(z)
            z = _prior_noise(theta, theta_o, own, ctx.ratio).sigmoid_()
            torch.mv(z.mul_(2).sub_(1).t(), grad, out=piece)
        if weight is not None:
            out.mul_(weight)
        grad_prior = out.clone() if ctx.needs_input_grad[1] else None
        return out.mul_(-ctx.ratio), grad_prior, None, None, None


def _prior_noise(
    theta: Tensor, theta_o: Tensor, noise: Tensor, ratio: float
) -> Tensor:
    r"""The noise that would have drawn the same from the prior."""
    return torch.sub(theta_o, theta + noise, alpha=ratio)
