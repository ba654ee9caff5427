import pytest
import torch
from torch.nn import Linear

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import (
    AmortizedPosterior,
    FreePosterior,
    LowRankPosterior,
    SumPosterior,
)
from torch_geometric_vgcn.prior import SmoothedPrior


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


@pytest.fixture
def x():
    return torch.randn(6, 4)


def amortized():
    return AmortizedPosterior(Linear(4, 3))


def start(posterior, prior, noise=0.0):
    """A posterior some way from the prior."""
    posterior.initialize_from(prior)
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.add_(noise * torch.randn_like(parameter))
    return posterior


def test_three_terms_make_one_sum():
    a, b, c = FreePosterior(), amortized(), amortized()
    total = a + b + c
    assert isinstance(total, SumPosterior)
    assert list(total.terms) == [a, b, c]


def test_it_starts_at_the_prior_where_its_terms_do(prior, x):
    total = start(FreePosterior() + amortized() + amortized(), prior)
    assert torch.equal(total(prior, x), prior.logits)


def test_departures_from_the_prior_add_up(prior, x):
    terms = FreePosterior(), amortized(), LowRankPosterior(2)
    total = start(terms[0] + terms[1] + terms[2], prior, noise=1.0)
    expected = sum(term(prior, x) for term in terms) - 2 * prior.logits
    torch.testing.assert_close(total(prior, x), expected)


def test_brackets_do_not_matter(prior, x):
    a, b, c = FreePosterior(), amortized(), LowRankPosterior(2)
    left, right = (a + b) + c, a + (b + c)
    start(left, prior, noise=1.0)
    torch.testing.assert_close(right(prior, x), left(prior, x))


def test_gradients_reach_every_parameter(prior, x):
    total = FreePosterior() + amortized() + LowRankPosterior(2)
    start(total, prior, noise=0.1)
    total(prior, x).exp().sum().backward()
    for name, parameter in total.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


def test_a_subset_has_the_same_logits(prior, x):
    total = FreePosterior() + amortized() + LowRankPosterior(2)
    start(total, prior, noise=1.0)
    part = prior.subset(torch.tensor([5, 2, 3, 0]))
    expected = total(prior, x)[part.pairs.position]
    logits = total(part, x[part.pairs.node_id])
    torch.testing.assert_close(logits, expected)
