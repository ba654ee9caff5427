"""Each likelihood inside the bound, against the sum over all graphs."""

import math

import pytest
import torch

from torch_geometric_vgcn import (
    ELBO,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    Gaussian,
    LogisticKL,
    MultiLabel,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL, Categorical

NAN = float('nan')
TARGETS = [0.3, -1.0, 0.8, 2.0, -0.4]
PAIRS_OF_TARGETS = [[0.3, 1.0], [-1.0, NAN], [0.8, -0.5], [NAN, 0.2], [1, 0.0]]
LABELS = [[0, 1.0, 1], [1, NAN, 0], [0, 0, 0], [1, 1, NAN], [1, 0, 1]]

MODELS = pytest.mark.parametrize(
    'likelihood, y',
    [
        (Categorical, [0, 1, 1, 0, 1]),
        (Gaussian, TARGETS),
        (lambda: Gaussian(2), PAIRS_OF_TARGETS),
        (MultiLabel, LABELS),
    ],
    ids=['Categorical', 'Gaussian', 'Gaussian of two', 'MultiLabel'],
)
NODES = pytest.mark.parametrize('num_nodes', [3, 4, 5])


def model_of(tiny_of, num_nodes, likelihood, y):
    likelihood = likelihood()
    for parameter in likelihood.parameters():
        parameter.data += 1.3
    return tiny_of(y[:num_nodes], likelihood)


def learner_of(tiny, sampler, objective):
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        sampler=sampler,
        objective=objective,
        likelihood=tiny.likelihood,
        posterior=FreePosterior(),
    )
    torch.manual_seed(1)
    learner.posterior.offset.data = torch.randn(len(tiny.prior.pairs))
    return learner


def estimate(tiny, learner, num_samples):
    r"""The estimated bound, with outputs taken from those of all graphs."""
    sample = learner.sampler(
        tiny.prior, learner.posterior(tiny.prior), learner.noise(num_samples)
    )
    digit = 2 ** torch.arange(len(tiny.prior.pairs)).flip(0)
    graph = (sample.weight.long() * digit).sum(-1)
    assert torch.equal(tiny.graphs[graph], sample.weight)
    return learner.objective(tiny.out[graph], tiny.y, sample=sample).bound


@MODELS
@NODES
def test_the_elbo_is_the_enumerated_one(tiny_of, num_nodes, likelihood, y):
    tiny = model_of(tiny_of, num_nodes, likelihood, y)
    learner = learner_of(tiny, Bernoulli(), ELBO(BernoulliKL(), beta=1.0))
    logits = learner.posterior(tiny.prior).detach()
    exact = float(tiny.elbo(logits))
    assert exact < float(tiny.log_evidence())
    num_samples = 20_000
    got = float(estimate(tiny, learner, num_samples).detach())
    # Only the likelihood is sampled, whose variance can be summed up, too:
    prob, value = tiny.log_q(logits).exp(), tiny.log_prob.sum(-1)
    variance = float(prob @ value.square() - (prob @ value) ** 2)
    assert abs(got - exact) < 4 * math.sqrt(variance / num_samples)


@MODELS
@NODES
def test_gradients_of_the_elbo_are_those_of_the_sum(
    tiny_of, num_nodes, likelihood, y
):
    tiny = model_of(tiny_of, num_nodes, likelihood, y)
    learner = learner_of(tiny, Bernoulli(), ELBO(BernoulliKL(), beta=1.0))
    parameters = [
        learner.posterior.offset, *learner.likelihood.parameters()
    ]  # fmt: skip
    prob = tiny.log_q(learner.posterior(tiny.prior)).exp()
    log_prob = learner.likelihood.log_prob(tiny.out, tiny.y).sum(-1)
    log_ratio = prob.log() - tiny.log_q(tiny.prior.logits)
    exact = torch.autograd.grad(
        (prob * (log_prob - log_ratio)).sum(), parameters
    )
    # A mean over batches has a standard error:
    batches = [
        torch.autograd.grad(estimate(tiny, learner, 1000), parameters)
        for _ in range(20)
    ]
    for want, *some in zip(exact, *batches, strict=True):
        got = torch.stack(some)
        error = got.std(dim=0) / math.sqrt(len(batches))
        assert ((got.mean(dim=0) - want).abs() < 5 * error + 1e-4).all()


@MODELS
def test_more_graphs_are_tighter(tiny_of, likelihood, y):
    tiny = model_of(tiny_of, 4, likelihood, y)
    # Temperatures near zero: the relaxed model is the discrete one.
    learner = learner_of(
        tiny, BinaryConcrete(0.05), IWELBO(LogisticKL(0.05), beta=1.0)
    )
    learner.posterior.offset.data *= 0.3
    node = torch.tensor([0])
    evidence = float(tiny.log_evidence(node))

    def bound(num_samples):
        values = [
            learner.objective(
                learner(tiny.x, num_samples=num_samples), tiny.y, node
            ).bound.detach()
            for _ in range(100)
        ]
        return float(torch.stack(values).mean())

    loose, tight = bound(1), bound(30)
    assert loose < tight < evidence + 0.03
    assert tight > evidence - 0.1
