import pytest
import torch
from sklearn.metrics import roc_auc_score
from torch_geometric.utils import remove_self_loops

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import (
    ConstantPrior,
    EvidencePrior,
    SmoothedPrior,
    negative_distance,
)


@pytest.fixture
def prior(graph):
    return SmoothedPrior(graph, 6, pairs=AllPairs(6))


@pytest.fixture
def x():
    return torch.randn(6, 8)


@pytest.mark.parametrize('weight', [0.0, 1.0, 2.5])
def test_evidence_has_mean_zero_and_its_weight_as_deviation(prior, x, weight):
    evidence = EvidencePrior(prior, x, weight).logits - prior.logits
    assert float(evidence.mean()) == pytest.approx(0, abs=1e-5)
    assert float(evidence.std(correction=0)) == pytest.approx(weight, abs=1e-4)


def test_like_nodes_become_more_probable_and_unlike_ones_less(prior):
    x = torch.tensor([[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3)
    evidence = EvidencePrior(prior, x).logits - prior.logits
    row, col = prior.pairs.index
    like = (row < 3) == (col < 3)
    assert (evidence[like] > 0).all()
    assert (evidence[~like] < 0).all()


def test_equal_similarities_add_nothing(prior):
    x = 0.37 + torch.eye(6)
    logits = EvidencePrior(prior, x).logits
    torch.testing.assert_close(logits, prior.logits, rtol=0, atol=1e-3)


def test_equal_distances_add_nothing_whatever_their_unit(prior):
    x = 1000 * torch.eye(6)
    logits = EvidencePrior(prior, x, similarity=negative_distance).logits
    torch.testing.assert_close(logits, prior.logits, rtol=0, atol=1e-3)


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
def test_sparse_features_equal_dense_ones(prior, x, layout):
    x = x.relu()
    sparse = EvidencePrior(prior, x.to_sparse(layout=layout))
    assert torch.equal(sparse.logits, EvidencePrior(prior, x).logits)


def test_the_rest_is_that_of_the_other_prior(graph, x):
    prior = SmoothedPrior(graph, 6, rho0=0.01)
    evidence = EvidencePrior(prior, x)
    assert evidence.background == 0.01
    evidence.check_observed(graph)


def test_it_tells_citations_from_random_pairs(citeseer):
    n = citeseer.num_nodes
    true, _ = remove_self_loops(citeseer.edge_index)
    random, _ = remove_self_loops(torch.randint(n, true.shape))
    pairs = Candidates(torch.cat([true, random], dim=1), n)
    prior = EvidencePrior(ConstantPrior(pairs, rho=0.5), citeseer.x)
    auc = roc_auc_score(pairs.contains(true), prior.probs)
    assert auc > 0.8
