import pytest
import torch
from scipy.stats import kstest

from torch_geometric_vgcn import AllPairs, BinaryConcrete, SmoothedPrior
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import ConstantPrior
from torch_geometric_vgcn.sample import Noise


def test_weights_are_sigmoids_of_logistics(generator):
    prior = ConstantPrior(AllPairs(50), rho=0.3)
    sampler = BinaryConcrete(temperature=0.5)
    noise = sampler.noise(prior, 8, generator)
    sample = sampler(prior, prior.logits, noise)
    assert sample.weight.shape == (8, len(prior.pairs))
    assert torch.equal(sample.weight, sample.relaxed.sigmoid())
    # tau * B - theta is standard logistic:
    standard = 0.5 * sample.relaxed - prior.logits
    assert kstest(standard.flatten(), 'logistic').pvalue > 0.01
    # and A > 1/2 has the Bernoulli's probability:
    share = (sample.weight > 0.5).float().mean()
    assert share == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize('temperature', [0.1, 0.66])
@pytest.mark.parametrize('theta', [-30.0, 0.0, 30.0])
def test_gradient_survives_extreme_logits(temperature, theta):
    prior = ConstantPrior(AllPairs(3), rho=0.5)
    logits = torch.full((3,), theta, requires_grad=True)
    noise = Noise(torch.full((1, 3), -theta + 0.01))
    sample = BinaryConcrete(temperature)(prior, logits, noise)
    sample.weight.sum().backward()
    assert (logits.grad > 0).all()


def test_gradcheck():
    prior = ConstantPrior(AllPairs(4), rho=0.5).double()
    sampler = BinaryConcrete(temperature=0.5)
    noise = sampler.noise(prior, 2)
    logits = torch.randn(6, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda theta: sampler(prior, theta, noise).weight, (logits,)
    )


def test_same_noise_gives_the_same_graphs(graph):
    prior = SmoothedPrior(graph, 6, rho0=0.2)
    sampler = BinaryConcrete()
    noise = sampler.noise(prior, 3)
    first = sampler(prior, prior.logits, noise)
    again = sampler(prior, prior.logits, noise)
    for s in range(3):
        for a, b in zip(first.edges(s), again.edges(s), strict=True):
            assert torch.equal(a, b)


@pytest.mark.parametrize('temperature', [0.1, 0.5, 0.66])
def test_background_loses_less_than_the_tolerance(temperature):
    prior = SmoothedPrior(torch.tensor([[0], [1]]), 3327)
    sampler = BinaryConcrete(temperature)
    cut = torch.tensor(sampler.threshold(prior), dtype=torch.double)
    # E[A; A < cut] = int_0^cut P(A > a) da - cut P(A > cut), by quadrature
    # over log a:
    log_a = torch.linspace(-80, float(cut.log()), 200001).double()
    a = log_a.exp()
    above = torch.sigmoid(prior.background_logit - temperature * a.logit())
    mass = torch.trapezoid(above * a, log_a) - cut * above[-1]
    assert 0.3e-3 < 3326 * float(mass) < 1e-3


@pytest.mark.parametrize('temperature', [0.3, 0.66])
def test_background_is_a_truncated_concrete(temperature, generator):
    prior = SmoothedPrior(torch.tensor([[0], [1]]), 400, rho0=1e-2)
    sampler = BinaryConcrete(temperature, tolerance=0.3)
    edges = sampler.background(prior, generator=generator)
    weight = edges.weight[edges.weight > 0]
    cut = torch.tensor(sampler.threshold(prior))
    assert weight.numel() > 500
    assert weight.min() >= cut * (1 - 1e-4)

    theta, tau = torch.tensor(prior.background_logit), temperature

    def cdf(a):
        a = torch.as_tensor(a).clamp(max=1 - 1e-7)
        below = torch.sigmoid(tau * a.logit() - theta)
        first = torch.sigmoid(tau * cut.logit() - theta)
        return ((below - first) / (1 - first)).clamp(0, 1).numpy()

    assert kstest(weight.numpy(), cdf).pvalue > 0.01


def test_dense_and_sparse_models_have_the_same_degrees(generator):
    # The total weight per node, in the paper's model and in ours.
    edge_index = torch.randint(60, (2, 80), generator=generator)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    degrees = []
    for pairs in (AllPairs(60), Candidates(edge_index, 60)):
        prior = SmoothedPrior(edge_index, 60, rho0=0.01, pairs=pairs)
        sampler = BinaryConcrete(0.5)
        noise = sampler.noise(prior, 1500, generator)
        sample = sampler(prior, prior.logits, noise)
        total = sum(sample.dense(s).sum(0) for s in range(1500))
        degrees.append(total / 1500)
    dense, sparse = degrees
    assert torch.allclose(dense, sparse, atol=0.15)
    assert float(dense.mean()) == pytest.approx(float(sparse.mean()), abs=0.02)


def test_bad_temperature():
    with pytest.raises(ValueError, match="'temperature' must be positive"):
        BinaryConcrete(temperature=0.0)
    prior = SmoothedPrior(torch.tensor([[0], [1]]), 10)
    with pytest.raises(ValueError, match="'temperature' must be below 1"):
        BinaryConcrete(temperature=1.0).threshold(prior)
