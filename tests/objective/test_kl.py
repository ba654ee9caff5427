import pytest
import torch
from torch.distributions import Bernoulli as TorchBernoulli
from torch.distributions import kl_divergence
from torch.distributions.relaxed_bernoulli import LogitRelaxedBernoulli

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    LogisticKL,
)
from torch_geometric_vgcn.objective import BernoulliKL
from torch_geometric_vgcn.prior import ConstantPrior


def sample_of(theta, prior_theta, tau, num_samples=1):
    prior = ConstantPrior(AllPairs(40), rho=0.5)
    prior.logits.fill_(prior_theta)
    logits = torch.full_like(prior.logits, theta).requires_grad_()
    sampler = Bernoulli() if tau is None else BinaryConcrete(tau)
    noise = sampler.noise(prior, num_samples)
    return sampler(prior, logits, noise), logits


@pytest.mark.parametrize('theta', [-40.0, -1.0, 0.0, 3.0, 40.0])
@pytest.mark.parametrize('prior_theta', [-11.5, 0.0, 4.6])
def test_bernoulli_closed_form(theta, prior_theta):
    sample, _ = sample_of(theta, prior_theta, None)
    expected = kl_divergence(
        TorchBernoulli(logits=torch.tensor(theta).double()),
        TorchBernoulli(logits=torch.tensor(prior_theta).double()),
    )
    got = BernoulliKL()(sample)
    assert got.shape == (1,)
    assert float(got) / 780 == pytest.approx(
        float(expected), rel=1e-4, abs=1e-6
    )


def test_bernoulli_gradcheck():
    def kl(theta):
        prior = ConstantPrior(AllPairs(3), rho=0.2).double()
        noise = Bernoulli().noise(prior, 1)
        return BernoulliKL()(Bernoulli()(prior, theta, noise))

    theta = torch.randn(3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(kl, (theta,))


def test_logistic_gradcheck():
    prior = ConstantPrior(AllPairs(3), rho=0.2).double()
    sampler = BinaryConcrete(0.66)
    noise = sampler.noise(prior, 2)
    theta = torch.randn(3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda theta: LogisticKL(0.1)(sampler(prior, theta, noise)), (theta,)
    )


def test_logistic_is_the_log_ratio_of_torch_distributions():
    sample, logits = sample_of(1.3, -0.4, 0.5, num_samples=3)
    q = LogitRelaxedBernoulli(torch.tensor(0.5), logits=logits)
    p = LogitRelaxedBernoulli(torch.tensor(0.1), logits=sample.prior.logits)
    ratio = q.log_prob(sample.relaxed) - p.log_prob(sample.relaxed)
    got = LogisticKL(0.1)(sample)
    assert got.shape == (3,)
    assert torch.allclose(got, ratio.sum(-1), rtol=1e-3)


@pytest.mark.parametrize('tau', [0.1, 0.5, 0.66])
@pytest.mark.parametrize('theta', [-40.0, 3.0, 40.0])
def test_logistic_is_positive_and_finite_in_float32(tau, theta):
    # Over the weights instead of their logits it turns negative.
    sample, logits = sample_of(theta, 0.0, tau, num_samples=20)
    kl = LogisticKL(tau)(sample).mean()
    kl.backward()
    assert float(kl) > 0 and logits.grad.isfinite().all()


def test_both_vanish_at_the_prior():
    sample, _ = sample_of(-2.0, -2.0, 0.5, num_samples=4)
    assert LogisticKL(0.5)(sample).abs().max() < 1e-2
    assert BernoulliKL()(sample).abs().max() < 1e-3


def test_logistic_needs_relaxed_samples():
    sample, _ = sample_of(0.0, 0.0, None)
    with pytest.raises(TypeError, match='use BernoulliKL'):
        LogisticKL()(sample)
