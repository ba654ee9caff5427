import pytest
import torch

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import ConstantPrior, Prior


def test_each_pair_has_the_same_probability(graph):
    for pairs in (AllPairs(6), Candidates(graph, 6)):
        prior = ConstantPrior(pairs, rho=0.2)
        torch.testing.assert_close(prior.probs, torch.full((len(pairs),), 0.2))


def test_background_is_that_of_the_paper_unless_given(graph):
    pairs = Candidates(graph, 6)
    assert ConstantPrior(pairs, rho=0.2).background == 1e-5
    assert ConstantPrior(pairs, rho=0.2, background=0.1).background == 0.1


@pytest.mark.parametrize('name', ['rho', 'background'])
@pytest.mark.parametrize('value', [0.0, 1.0, -1.0, float('nan')])
def test_certainty_is_refused(name, value):
    arguments = {'rho': 0.2, name: value}
    with pytest.raises(ValueError, match=f"'{name}' must lie strictly"):
        ConstantPrior(AllPairs(4), **arguments)


def test_no_graph_was_observed(graph):
    prior = ConstantPrior(AllPairs(6), rho=0.2)
    with pytest.raises(ValueError, match='no observed graph'):
        prior.check_observed(graph)


def test_subset_keeps_the_probability_and_the_background(graph):
    pairs = Candidates(graph, 6)
    prior = ConstantPrior(pairs, rho=0.2, background=0.1)
    part = prior.subset(torch.tensor([4, 5, 3]))
    torch.testing.assert_close(part.probs, torch.full((3,), 0.2))
    assert part.background == 0.1
    assert part.edge_index is None


def test_a_prior_of_ones_own_has_one_finite_logit_a_pair():
    pairs = AllPairs(3)
    logits = torch.tensor([-1.0, 0.0, 2.0])
    assert torch.equal(Prior(pairs, logits).probs, logits.sigmoid())
    with pytest.raises(ValueError, match=r"'logits' must have shape \[3\]"):
        Prior(pairs, torch.zeros(4))
    for value in ('nan', 'inf'):
        with pytest.raises(ValueError, match="'logits' must be finite"):
            Prior(pairs, torch.full((3,), float(value)))
