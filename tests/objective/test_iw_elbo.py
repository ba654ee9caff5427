import math

import pytest
import torch

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    LogisticKL,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.prior import ConstantPrior
from torch_geometric_vgcn.sample import GraphSample


def bound_of(tiny, num_samples, mask, repeats=300, beta=1.0):
    # Temperatures near zero: the relaxed model is the discrete one.
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        sampler=BinaryConcrete(0.05),
        objective=IWELBO(LogisticKL(0.05), beta=beta),
        posterior=FreePosterior(),
    )
    torch.manual_seed(1)
    learner.posterior.offset.data = 0.5 * torch.randn(6)
    values = [
        learner.objective(
            learner(tiny.x, num_samples=num_samples), tiny.y, mask
        ).bound.detach()
        for _ in range(repeats)
    ]
    return float(torch.stack(values).mean())


def test_more_samples_are_tighter_and_never_too_high(tiny):
    node = torch.tensor([1])
    evidence = float(tiny.log_evidence(node))
    loose, tight = bound_of(tiny, 1, node), bound_of(tiny, 30, node)
    assert loose < tight < evidence + 0.02
    assert tight > evidence - 0.1


def test_formula_of_the_appendix(tiny):
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        objective=IWELBO(LogisticKL(0.1), beta=0.3),
        posterior=FreePosterior(),
    )
    learner.posterior.offset.data += 0.4
    out = learner(tiny.x, num_samples=3)
    got = learner.objective(out, tiny.y)
    log_prob = out.log_softmax(-1)
    log_ratio = learner.criterion.kl(learner.sample)
    expected = 0.0
    for n in range(4):
        terms = [
            math.exp(float(log_prob[s, n, tiny.y[n]] - 0.3 / 4 * log_ratio[s]))
            for s in range(3)
        ]
        expected += math.log(sum(terms) / 3)
    assert float(got.bound) == pytest.approx(expected, abs=1e-4)
    assert float(got.loss) == pytest.approx(-expected / 4, abs=1e-4)


def test_one_sample_is_the_elbo(tiny):
    learner = VariationalGraphLearner(
        tiny.conv, tiny.prior, posterior=FreePosterior()
    )
    learner.posterior.offset.data += 0.4
    out = learner(tiny.x)
    log_prob = learner.likelihood.log_prob(out, tiny.y).unsqueeze(0)
    for beta in (0.01, 1.0):
        elbo, iw_elbo = (
            cls(LogisticKL(), beta)(log_prob, learner.sample).bound
            for cls in (ELBO, IWELBO)
        )
        assert torch.allclose(elbo, iw_elbo)


def test_mini_batch_keeps_the_number_of_labels(tiny):
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        FreePosterior(),
        objective=IWELBO(LogisticKL()),
    )
    out = learner(tiny.x, num_samples=3)
    parts = [
        learner.objective(out, tiny.y, torch.tensor([n]), num_labeled=4).bound
        for n in range(4)
    ]
    whole = learner.objective(out, tiny.y).bound
    assert torch.allclose(torch.stack(parts).mean(), whole)


def test_score_function_samples_are_refused(tiny):
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        sampler=Bernoulli(),
        objective=IWELBO(BernoulliKL()),
        posterior=FreePosterior(),
    )
    with pytest.raises(TypeError, match='use ELBO'):
        learner.objective(learner(tiny.x, num_samples=2), tiny.y)


def test_labels_that_disagree_can_exceed_the_evidence(tiny):
    # One pair, on or off with probability 1/2, and two nodes of which each
    # is well explained where the other isn't.
    prior = ConstantPrior(AllPairs(2), rho=0.5)
    edge = torch.tensor([[0.0], [1.0]])
    sample = GraphSample(prior, prior.logits, edge)
    prob = torch.tensor([[0.9, 0.1], [0.1, 0.9]])
    evidence = float((0.5 * prob.prod(dim=1)).sum().log())
    objectives = [cls(BernoulliKL(), beta=1.0) for cls in (ELBO, IWELBO)]
    elbo, iw_elbo = (o(prob.log(), sample).bound for o in objectives)
    assert float(elbo) <= evidence < float(iw_elbo)
