import pytest
import torch

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import KroneckerPosterior
from torch_geometric_vgcn.prior import ConstantPrior, SmoothedPrior


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


def make(prior, size, noise=0.0):
    """A posterior some way from where it starts."""
    posterior = KroneckerPosterior(size)
    posterior.start_at(prior)
    with torch.no_grad():
        initiator = posterior.initiator
        initiator.add_(noise * torch.randn_like(initiator))
    return posterior


@pytest.mark.parametrize('size', [2, 3, 4, 6, 8])
def test_it_starts_at_the_mean_probability(prior, size):
    probs = make(prior, size)(prior).sigmoid()
    expected = prior.probs.mean().expand(len(prior.pairs))
    torch.testing.assert_close(probs, expected, rtol=1e-4, atol=0)


@pytest.mark.parametrize('size, order', [(2, 3), (3, 2), (6, 1)])
def test_probabilities_are_a_kronecker_power(prior, size, order):
    posterior = make(prior, size, noise=1.0)
    initiator = posterior.initiator
    entry = ((initiator + initiator.t()) / 2).sigmoid()
    power = entry
    for _ in range(order - 1):
        power = torch.kron(power, entry)
    row, col = prior.pairs.index
    torch.testing.assert_close(posterior(prior).sigmoid(), power[row, col])


def test_probabilities_do_not_depend_on_the_order_of_a_pair(prior):
    posterior = make(prior, size=2, noise=1.0)
    part = prior.subset(torch.arange(6).flip(0))
    expected = posterior(prior)[part.pairs.position]
    torch.testing.assert_close(posterior(part), expected)


def test_gradients_reach_the_initiator(prior):
    posterior = make(prior, size=2)
    posterior(prior).sum().backward()
    assert (posterior.initiator.grad > 0).all()


def test_a_subset_has_the_same_logits(prior):
    posterior = make(prior, size=2, noise=1.0)
    part = prior.subset(torch.tensor([5, 2, 3, 0]))
    expected = posterior(prior)[part.pairs.position]
    torch.testing.assert_close(posterior(part), expected)


def test_more_nodes_than_the_power_has_are_refused(prior):
    posterior = make(prior, size=2)  # 2 ** 3 nodes
    assert posterior(ConstantPrior(AllPairs(8), rho=0.5)).shape == (28,)
    with pytest.raises(ValueError, match='nodes'):
        posterior(ConstantPrior(AllPairs(9), rho=0.5))


@pytest.mark.parametrize('size', [1, 0, -2])
def test_the_initiator_is_at_least_two_by_two(size):
    with pytest.raises(ValueError, match="'size' must be at least 2"):
        KroneckerPosterior(size)
