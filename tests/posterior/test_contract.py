"""What holds for each posterior."""

import pytest
import torch
from torch.nn import Linear, ReLU, Sequential
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import (
    AmortizedPosterior,
    ClassPosterior,
    FreePosterior,
    LowRankPosterior,
)
from torch_geometric_vgcn.prior import ConstantPrior

Y = torch.tensor([0, 0, 1, 1, 2, -1])
LABELLED = torch.tensor([0, 4])


def mlp():
    return Sequential(Linear(4, 8), ReLU(), Linear(8, 3))


KINDS = {
    'free': FreePosterior,
    'sparse': lambda: FreePosterior(sparse=True),
    'low rank': lambda: LowRankPosterior(6),
    'amortized': lambda: AmortizedPosterior(mlp()),
    'conv': lambda: AmortizedPosterior(GCNConv(4, 3)),
    'gnn': lambda: AmortizedPosterior(GCN(4, 8, 2, 3)),
    'classes': lambda: ClassPosterior(3),
    'classes of a network': ClassPosterior,
    'two': lambda: FreePosterior() + ClassPosterior(),
    'four': lambda: (
        (FreePosterior() + AmortizedPosterior(mlp()))
        + (LowRankPosterior(6) + ClassPosterior())
    ),
}


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def moved(posterior, prior, scale=1.0):
    r"""The posterior, some way from the prior."""
    posterior.initialize_from(prior)
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.add_(scale * torch.randn_like(parameter))
    posterior.observe(2 * torch.randn(2, 6, 3), Y, LABELLED, prior)
    return posterior


def sees_the_graph(posterior):
    return any(getattr(m, 'needs_graph', False) for m in posterior.modules())


def test_it_starts_at_the_prior_and_again(make, prior, x):
    posterior = make()
    with pytest.raises(RuntimeError, match='has no parameters yet'):
        posterior(prior, x)
    for _ in range(2):
        posterior.reset_parameters(prior)
        start = posterior(prior, x)
        torch.testing.assert_close(start, prior.logits, rtol=0, atol=1e-4)
        moved(posterior, prior)
        assert (posterior(prior, x) - prior.logits).abs().max() > 0.01


def test_subsets_have_the_same_logits(make, prior, x):
    posterior = moved(make(), prior)
    if sees_the_graph(posterior):
        pytest.skip('sees another graph')
    part = prior.subset(torch.tensor([5, 2, 3, 0]))
    expected = posterior(prior, x)[part.pairs.position]
    logits = posterior(part, x[part.pairs.node_id])
    torch.testing.assert_close(logits, expected)
    again = part.subset(torch.tensor([2, 1, 0]))
    logits = posterior(again, x[again.pairs.node_id])
    expected = posterior(prior, x)[again.pairs.position]
    torch.testing.assert_close(logits, expected)
    none = prior.subset(torch.tensor([0, 5]))
    assert posterior(none, x[[0, 5]]).shape == (len(none.pairs),)


def test_gradients_reach_every_parameter(make, prior, x):
    posterior = moved(make(), prior, scale=0.1)
    if not list(posterior.parameters()):
        pytest.skip('has none')
    posterior(prior, x).exp().sum().backward()
    for name, parameter in posterior.named_parameters():
        assert parameter.grad.to_dense().abs().sum() > 0, name


def test_what_was_learned_can_be_saved(make, prior, x):
    posterior, again = moved(make(), prior), make()
    again.initialize_from(prior)
    again.load_state_dict(posterior.state_dict())
    assert torch.equal(again(prior, x), posterior(prior, x))


@pytest.mark.parametrize('num_nodes', [5, 7])
def test_unseen_nodes_are_for_encoders_only(make, prior, num_nodes):
    posterior = moved(make(), prior)
    if isinstance(posterior, AmortizedPosterior):
        pytest.skip('serves them')
    other = ConstantPrior(AllPairs(num_nodes), rho=0.5)
    for some in (other, other.subset(torch.arange(num_nodes - 1))):
        with pytest.raises(ValueError, match='use AmortizedPosterior'):
            posterior(some, torch.randn(some.num_nodes, 4))


def test_departures_from_the_prior_add_up(prior, x):
    terms = [moved(KINDS[name](), prior) for name in ('free', 'low rank')]
    terms.append(moved(ClassPosterior(), prior))
    total = terms[0] + (terms[1] + terms[2])
    expected = sum(term(prior, x) for term in terms) - 2 * prior.logits
    torch.testing.assert_close(total(prior, x), expected)
    other = (terms[0] + terms[1]) + terms[2]
    torch.testing.assert_close(other(prior, x), expected)
