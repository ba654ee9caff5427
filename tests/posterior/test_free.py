import pytest
import torch

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.prior import ConstantPrior, SmoothedPrior


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


@pytest.fixture
def posterior(prior):
    posterior = FreePosterior()
    posterior.start_at(prior)
    return posterior


def wander(posterior):
    """Moves the parameters away from the prior."""
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.add_(torch.randn_like(parameter))


def test_it_starts_at_the_prior(prior, posterior):
    assert torch.equal(posterior(prior), prior.logits)


def test_it_starts_again_at_the_prior(prior, posterior):
    wander(posterior)
    assert not torch.equal(posterior(prior), prior.logits)
    posterior.start_at(prior)
    assert torch.equal(posterior(prior), prior.logits)


def test_each_pair_has_a_logit_of_its_own(prior, posterior):
    assert posterior.offset.shape == (len(prior.pairs),)
    posterior(prior)[3].backward()
    assert posterior.offset.grad.nonzero().tolist() == [[3]]


def test_a_subset_has_the_same_logits(prior, posterior):
    wander(posterior)
    part = prior.subset(torch.tensor([5, 2, 3, 0]))
    expected = posterior(prior)[part.pairs.position]
    assert torch.equal(posterior(part), expected)


def test_a_subset_of_a_subset_has_the_same_logits(prior, posterior):
    wander(posterior)
    node_id, again = torch.tensor([5, 4, 2, 3]), torch.tensor([3, 1, 0])
    part = prior.subset(node_id).subset(again)
    expected = posterior(prior.subset(node_id[again]))
    assert torch.equal(posterior(part), expected)


def test_a_subset_may_have_no_pair(graph):
    prior = SmoothedPrior(graph, 6)
    posterior = FreePosterior()
    posterior.start_at(prior)
    assert posterior(prior.subset(torch.tensor([0, 5]))).shape == (0,)


@pytest.mark.parametrize('num_nodes', [5, 7])
def test_other_pairs_are_refused(prior, posterior, num_nodes):
    other = ConstantPrior(AllPairs(num_nodes), rho=0.5)
    with pytest.raises(ValueError, match='use AmortizedPosterior'):
        posterior(other)


def test_what_was_learned_can_be_saved(graph, prior, posterior):
    wander(posterior)
    again = FreePosterior()
    again.start_at(prior)
    again.load_state_dict(posterior.state_dict())
    assert torch.equal(again(prior), posterior(prior))
    fewer = SmoothedPrior(graph[:, :3], 6)
    again.start_at(fewer)
    with pytest.raises(RuntimeError, match='size mismatch for offset'):
        again.load_state_dict(posterior.state_dict())
