import pytest
import torch
from torch_geometric.utils import erdos_renyi_graph

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.posterior import LowRankPosterior
from torch_geometric_vgcn.prior import ConstantPrior, SmoothedPrior


def make(prior, rank, noise=0.0):
    """A posterior some way from the prior."""
    posterior = LowRankPosterior(rank)
    posterior.initialize_from(prior)
    with torch.no_grad():
        for parameter in posterior.parameters():
            parameter.add_(noise * torch.randn_like(parameter))
    return posterior


@pytest.mark.parametrize('rank', [5, 6, 100])
def test_with_full_rank_it_starts_at_the_prior(prior, rank):
    logits = make(prior, rank)(prior)
    torch.testing.assert_close(logits, prior.logits, rtol=0, atol=1e-4)


def test_the_higher_the_rank_the_nearer_it_starts():
    edge_index = erdos_renyi_graph(40, 0.2)
    prior = SmoothedPrior(edge_index, 40, pairs=AllPairs(40))
    errors = []
    for rank in (2, 8, 20, 39):
        error = make(prior, rank)(prior) - prior.logits
        errors.append(float(error.detach().square().mean()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.01 * errors[0]


def test_a_prior_without_any_structure_is_met():
    prior = ConstantPrior(AllPairs(6), rho=0.01, background=0.01)
    logits = make(prior, rank=3)(prior)
    torch.testing.assert_close(logits, prior.logits)


def test_logits_are_those_of_the_formula(prior):
    posterior = make(prior, rank=3, noise=1.0)
    z, z_tilde, b = posterior.z, posterior.z_tilde, posterior.bias
    expected = []
    for i, j in prior.pairs.index.t().tolist():
        dot = (z[i] @ z_tilde[j] + z[j] @ z_tilde[i]) / 2
        expected.append(dot + b[i] + b[j] + posterior.shift)
    torch.testing.assert_close(posterior(prior), torch.stack(expected))
