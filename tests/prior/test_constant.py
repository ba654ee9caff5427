import pytest
import torch

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import ConstantPrior, Prior


def test_each_pair_has_the_same_probability(graph):
    for pairs in (AllPairs(6), Candidates(graph, 6)):
        prior = ConstantPrior(pairs, rho=0.2)
        torch.testing.assert_close(prior.probs, torch.full((len(pairs),), 0.2))


def test_no_graph_was_observed(graph):
    prior = ConstantPrior(AllPairs(6), rho=0.2)
    with pytest.raises(ValueError, match='no observed graph'):
        prior.check_observed(graph)


def test_a_prior_of_ones_own_has_one_finite_logit_a_pair():
    pairs = AllPairs(3)
    logits = torch.tensor([-1.0, 0.0, 2.0])
    assert torch.equal(Prior(pairs, logits).probs, logits.sigmoid())
    with pytest.raises(ValueError, match=r"'logits' must have shape \[3\]"):
        Prior(pairs, torch.zeros(4))
    for value in ('nan', 'inf'):
        with pytest.raises(ValueError, match="'logits' must be finite"):
            Prior(pairs, torch.full((3,), float(value)))
