import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import softplus

from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.validate import check_positive


class KL(Module, ABC):
    r"""The divergence of the posterior from the prior, or an estimate of it,
    :obj:`[S]` numbers. Pairs outside the candidates add nothing: their
    posterior is their prior.
    """

    @abstractmethod
    def forward(self, sample: GraphSample) -> Tensor: ...


class BernoulliKL(KL):
    r"""The closed form for discrete edges

    .. math::
        \sum_{i<j} \rho_{ij} \log \frac{\rho_{ij}}{\rho^o_{ij}} +
        (1 - \rho_{ij}) \log \frac{1 - \rho_{ij}}{1 - \rho^o_{ij}} =
        \sum_{i<j} \rho_{ij} (\theta_{ij} - \theta^o_{ij}) -
        \mathrm{softplus}(\theta_{ij}) + \mathrm{softplus}(\theta^o_{ij}),

    the same for each sample.
    """

    def forward(self, sample: GraphSample) -> Tensor:
        theta, prior = sample.logits, sample.prior.logits
        kl = theta.sigmoid() * (theta - prior)
        kl = kl + (softplus(prior) - softplus(theta))
        return kl.sum().expand(len(sample))


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

    def __init__(self, temperature: float = 0.5) -> None:
        super().__init__()
        self.temperature = check_positive(temperature, 'temperature')

    def forward(self, sample: GraphSample) -> Tensor:
        b, tau = sample.relaxed, sample.temperature
        if b is None or tau is None:
            raise TypeError(
                'LogisticKL needs relaxed samples (BinaryConcrete), got '
                'discrete or mean ones: use BernoulliKL'
            )
        log_q = _logistic_log_prob(b, sample.logits, tau)
        log_p = _logistic_log_prob(b, sample.prior.logits, self.temperature)
        return (log_q - log_p).sum(dim=-1)

    def extra_repr(self) -> str:
        return f'temperature={self.temperature:.3g}'


def _logistic_log_prob(b: Tensor, logits: Tensor, tau: float) -> Tensor:
    # log sigmoid(z) + log sigmoid(-z) = -|z| - 2 log(1 + exp(-|z|))
    z = (logits - tau * b).abs()
    return math.log(tau) - z - 2 * torch.log1p(torch.exp(-z))
