import torch

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    SmoothedPrior,
)
from torch_geometric_vgcn.prior import ConstantPrior
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli


def test_edges_are_bernoulli(generator):
    prior = ConstantPrior(AllPairs(4), rho=0.5)
    logits = torch.linspace(-3, 3, 6)
    noise = Bernoulli().noise(prior, 20_000, generator)
    weight = Bernoulli()(prior, logits, noise).weight
    assert set(weight.unique().tolist()) == {0.0, 1.0}
    assert torch.allclose(weight.mean(0), logits.sigmoid(), atol=0.01)


def test_is_the_zero_temperature_limit_of_the_concrete(graph):
    prior = SmoothedPrior(graph, 6)
    noise = Bernoulli().noise(prior, 10)
    hard = Bernoulli()(prior, prior.logits, noise).weight
    soft = BinaryConcrete(1e-4)(prior, prior.logits, noise).weight
    assert torch.allclose(hard, soft, atol=1e-3)


def test_log_prob_is_that_of_torch(graph):
    prior = SmoothedPrior(graph, 6)
    logits = torch.randn(len(prior.pairs))
    sample = Bernoulli()(prior, logits, Bernoulli().noise(prior, 5))
    expected = torch.distributions.Bernoulli(logits=logits)
    expected = expected.log_prob(sample.weight).sum(-1)
    assert torch.allclose(sample.log_prob, expected, atol=1e-5)


def test_only_edges_that_are_there_are_passed_on(graph):
    prior = SmoothedPrior(graph, 6, rho0=0.3)
    sample = Bernoulli()(prior, prior.logits, Bernoulli().noise(prior, 4))
    for s in range(4):
        edge_index, edge_weight = sample.edges(s)
        assert (edge_weight == 1).all()
        adj = torch.zeros(6, 6).index_put(tuple(edge_index), edge_weight)
        assert torch.equal(adj, sample.dense(s))
        assert torch.equal(adj, adj.t())


def test_straight_through_is_hard_with_the_mean_gradient(graph):
    prior = SmoothedPrior(graph, 6)
    logits = torch.randn(len(prior.pairs), requires_grad=True)
    sampler = StraightThroughBernoulli()
    weight = sampler(prior, logits, sampler.noise(prior, 1)).weight
    assert ((weight - weight.round()).abs() < 1e-6).all()
    weight.sum().backward()
    prob = logits.detach().sigmoid()
    assert torch.allclose(logits.grad, prob * (1 - prob))


def test_the_mean_has_no_noise_and_no_background(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.7, rho0=0.3)
    sampler = PosteriorMean()
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    assert torch.allclose(sample.weight, torch.full_like(sample.weight, 0.7))
    edge_index, edge_weight = sample.edges(1)
    assert edge_index.size(1) == edge_weight.numel() == 2 * len(prior.pairs)
