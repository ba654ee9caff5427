"""The bound for labels of links or whole graphs, in a loop of one's own."""

import itertools
import math

import pytest
import torch
from torch.nn.functional import logsigmoid
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import BernoulliKL
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
LINKS = torch.tensor([[0, 1, 4], [2, 5, 5]])


def learner_of(graph, sampler=None, **kwargs):
    torch.manual_seed(0)
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 2),
        SmoothedPrior(graph, 6),
        FreePosterior(),
        sampler,
        **kwargs,
    )
    learner.posterior.offset.data += torch.randn(7)
    return learner


def links(z):
    i, j = LINKS
    return logsigmoid((z[..., i, :] * z[..., j, :]).sum(dim=-1))


@pytest.mark.parametrize(
    'sampler',
    [
        BinaryConcrete(),
        Bernoulli(),
        StraightThroughBernoulli(),
        PosteriorMean(),
    ],
    ids=lambda s: type(s).__name__,
)
def test_labels_of_nodes_give_the_objective(graph, sampler):
    learner, weight = learner_of(graph, sampler), torch.rand(7)
    out = learner(X, num_samples=3)
    log_prob = learner.likelihood.log_prob(out, Y)
    got = learner.bound(log_prob, num_labeled=9, kl_scale=weight)
    expected = learner.objective(out, Y, num_labeled=9, kl_scale=weight)
    for mine, theirs in zip(got, expected, strict=True):
        assert torch.equal(mine, theirs)
    got.loss.backward()
    assert (learner.posterior.offset.grad != 0).all()


def test_the_loss_has_the_divergence_of_each_label(graph):
    learner = learner_of(graph, objective=ELBO(BernoulliKL(), beta=0.3))
    log_prob = links(learner(X, num_samples=3))
    kl = learner.criterion.kl(learner.sample)
    assert log_prob.shape == (3, 3) and kl.shape == (3,)
    expected = -log_prob.mean() + learner.criterion.beta * kl.mean() / 3
    torch.testing.assert_close(learner.bound(log_prob).loss, expected)


def test_one_graph_needs_no_dimension_of_its_own(graph):
    learner = learner_of(graph)
    log_prob = links(learner(X))
    assert log_prob.shape == (3,)
    got = learner.bound(log_prob)
    sample = learner.sample
    expected = learner.bound(log_prob.unsqueeze(0), sample=sample)
    assert torch.equal(got.loss, expected.loss)


def test_the_bound_of_a_link_is_the_enumerated_one():
    torch.manual_seed(0)
    edge_index = torch.tensor([[0, 1], [1, 2]])
    prior = SmoothedPrior(edge_index, 3, 0.6, 0.2, pairs=AllPairs(3))
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 4).eval(),
        prior,
        sampler=StraightThroughBernoulli(),
        objective=ELBO(BernoulliKL(), beta=1.0),
        posterior=FreePosterior(),
    )
    learner.posterior.offset.data = torch.tensor([1.0, -0.5, 0.7])
    graphs = torch.tensor(list(itertools.product([0.0, 1.0], repeat=3)))
    both = torch.cat([prior.pairs.index, prior.pairs.index.flip(0)], dim=1)
    z = torch.stack([learner.conv(X[:3], both, g.repeat(2)) for g in graphs])
    log_prob = logsigmoid(5 * (z[:, 0] * z[:, 2]).sum(dim=-1))
    log_q, log_p = (
        torch.distributions.Bernoulli(logits=logits).log_prob(graphs).sum(-1)
        for logits in (learner.posterior(prior), prior.logits)
    )
    exact = float((log_q.exp() * (log_prob + log_p - log_q)).sum().detach())
    evidence = float((log_prob + log_p).logsumexp(0).detach())
    assert exact < evidence
    z = learner(X[:3], num_samples=4000)
    sampled = logsigmoid(5 * (z[:, 0] * z[:, 2]).sum(dim=-1, keepdim=True))
    got = float(learner.bound(sampled).bound.detach())
    error = float(sampled.detach().std()) / math.sqrt(4000)
    assert 0 < error and abs(got - exact) < 4 * error


def test_graphs_must_not_be_mixed(graph):
    learner = learner_of(graph)
    log_prob, sample = links(learner(X, num_samples=2)), learner.sample
    expected = learner.bound(log_prob)
    learner(X, num_samples=2)
    for got in (
        learner.bound(log_prob),
        learner.bound(log_prob, sample=sample),
    ):
        assert torch.equal(got.bound, expected.bound)
    with pytest.raises(RuntimeError, match='sample=sample'):
        learner.bound(log_prob.detach())


@pytest.mark.parametrize(
    'log_prob, error, message',
    [
        (None, TypeError, "'log_prob' must be a torch.Tensor of shape"),
        (torch.zeros(2, 2), ValueError, r"'log_prob' must have shape \[3, n"),
        (torch.zeros(3), ValueError, r"'log_prob' must have shape \[3, n\]"),
        (torch.ones(3, 2).long(), TypeError, "'log_prob' must be floating"),
    ],
)
def test_bad_log_likelihoods_are_refused(graph, log_prob, error, message):
    learner = learner_of(graph)
    learner(X, num_samples=3)
    with pytest.raises(error, match=message):
        learner.bound(log_prob, sample=learner.sample)


def test_no_graph_was_sampled_yet(graph):
    with pytest.raises(RuntimeError, match='no graph was sampled yet'):
        learner_of(graph).bound(torch.zeros(3, 2))
