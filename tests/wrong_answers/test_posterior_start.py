"""A posterior starts at the prior once. What it has learned is kept by each
learner that it is given to, until it is told to start again.
"""

import copy

import pytest
import torch
from torch.nn import Linear
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    AmortizedPosterior,
    ClassPosterior,
    FreePosterior,
    LowRankPosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.pairs import AllPairs

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
POSTERIORS = {
    'free': FreePosterior,
    'sparse': lambda: FreePosterior(sparse=True),
    'low rank': lambda: LowRankPosterior(2),
    'amortized': lambda: AmortizedPosterior(Linear(4, 3)),
    'classes': lambda: ClassPosterior(2),
    'sum': lambda: (
        FreePosterior() + AmortizedPosterior(Linear(4, 3)) + ClassPosterior(2)
    ),
}
EACH = pytest.mark.parametrize('make', POSTERIORS.values(), ids=POSTERIORS)


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


def trained(prior, posterior):
    learner = VariationalGraphLearner(GCNConv(4, 2), prior, posterior)
    optimizer = torch.optim.SGD(learner.parameters(), lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        out = learner(X, num_samples=2)
        learner.objective(out, Y).loss.backward()
        optimizer.step()
    return learner.eval()


@EACH
def test_a_trained_posterior_is_kept_by_a_new_learner(prior, make):
    first = trained(prior, make())
    before = first.edge_probs(X).detach().clone()
    fresh = VariationalGraphLearner(GCNConv(4, 2), prior, make()).eval()
    assert not torch.equal(before, fresh.edge_probs(X))
    second = VariationalGraphLearner(GCNConv(4, 2), prior, first.posterior)
    assert torch.equal(second.eval().edge_probs(X), before)
    assert torch.equal(first.edge_probs(X), before)


@EACH
def test_a_copy_of_a_trained_posterior_is_kept(prior, make):
    first = trained(prior, make())
    other = copy.deepcopy(first.posterior)
    second = VariationalGraphLearner(GCNConv(4, 2), prior, other).eval()
    assert torch.equal(second.edge_probs(X), first.edge_probs(X))


@EACH
def test_saved_logits_that_were_loaded_are_kept(prior, make):
    first = trained(prior, make())
    posterior = make()
    posterior.initialize_from(prior)
    posterior.load_state_dict(first.posterior.state_dict())
    second = VariationalGraphLearner(GCNConv(4, 2), prior, posterior).eval()
    assert torch.equal(second.edge_probs(X), first.edge_probs(X))


@EACH
def test_reset_parameters_starts_again(prior, make):
    first = trained(prior, make())
    before = first.edge_probs(X).detach().clone()
    second = VariationalGraphLearner(GCNConv(4, 2), prior, first.posterior)
    second.reset_parameters()
    assert not torch.equal(second.eval().edge_probs(X), before)


def test_a_learner_of_another_prior_keeps_what_was_learned(graph):
    first = trained(SmoothedPrior(graph, 6, rho1=0.3), FreePosterior())
    other = SmoothedPrior(graph, 6, rho1=0.6)
    second = VariationalGraphLearner(GCNConv(4, 2), other, first.posterior)
    learned = [
        learner.edge_probs().logit() - learner.prior.logits
        for learner in (first, second)
    ]
    assert learned[0].abs().max() > 0.01
    torch.testing.assert_close(*learned, rtol=1e-3, atol=1e-4)


def test_a_sum_starts_only_what_has_not_started(prior):
    first = trained(prior, FreePosterior())
    before = first.edge_probs().detach()
    both = first.posterior + AmortizedPosterior(Linear(4, 3))
    second = VariationalGraphLearner(GCNConv(4, 2), prior, both).eval()
    torch.testing.assert_close(second.edge_probs(X), before)
    torch.testing.assert_close(first.edge_probs(), before)


@pytest.mark.parametrize(
    'name', ['free', 'sparse', 'low rank', 'classes', 'sum']
)
def test_a_posterior_of_another_graph_is_refused_at_once(graph, name):
    posterior = trained(SmoothedPrior(graph, 6), POSTERIORS[name]()).posterior
    other = SmoothedPrior(torch.tensor([[0, 8], [1, 2]]), 9)
    with pytest.raises(ValueError, match="'posterior'"):
        VariationalGraphLearner(GCNConv(4, 2), other, posterior)
    posterior.reset_parameters(other)
    learner = VariationalGraphLearner(GCNConv(4, 2), other, posterior).eval()
    assert learner.edge_probs(torch.randn(9, 4)).shape == (2,)


@EACH
def test_a_learner_of_a_subset_takes_the_posterior_of_the_whole(prior, make):
    first = trained(prior, make())
    node_id = torch.tensor([5, 3, 4, 2])
    part = prior.subset(node_id)
    before = first.edge_probs(X[node_id], prior=part).detach()
    second = VariationalGraphLearner(GCNConv(4, 2), part, first.posterior)
    torch.testing.assert_close(
        second.eval().edge_probs(X[node_id]).detach(), before
    )


@pytest.mark.parametrize('name', ['free', 'low rank', 'classes'])
def test_a_posterior_starts_at_the_prior_of_a_subset(name):
    # The nodes of the subset are among the last of the whole:
    index = torch.combinations(torch.arange(9)).t()
    index = index[:, (index.sum(dim=0) % 3) != 1]
    whole = SmoothedPrior(index, 9, rho1=0.6, rho0=0.6)
    part = whole.subset(torch.tensor([8, 3, 7, 6, 5]))
    make = POSTERIORS[name] if name != 'low rank' else LowRankPosterior
    learner = VariationalGraphLearner(GCNConv(4, 2), part, make()).eval()
    torch.testing.assert_close(
        learner.edge_probs(), part.probs, rtol=1e-4, atol=1e-4
    )
    again = whole.subset(torch.tensor([7, 8, 3]))
    torch.testing.assert_close(
        learner.edge_probs(prior=again), again.probs, rtol=1e-4, atol=1e-4
    )
