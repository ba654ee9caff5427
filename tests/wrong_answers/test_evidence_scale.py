"""Evidence for pairs that were not there in training is on the scale of the
training pairs: the same similarity is the same evidence.
"""

import copy
import pickle

import pytest
import torch
from torch.nn import Linear
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    AmortizedPosterior,
    EvidencePrior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.prior import negative_distance, resource_allocation

X = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
MORE = torch.tensor([[0, 5, 6, 6, 7], [6, 7, 7, 8, 8]])  # of unseen nodes


@pytest.fixture(params=['all pairs', 'candidates'])
def priors(request, graph):
    r"""Those of six nodes, and of nine of which the last three are new."""
    dense = request.param == 'all pairs'
    return [
        SmoothedPrior(index, n, pairs=AllPairs(n) if dense else None)
        for index, n in [(graph, 6), (torch.cat([graph, MORE], dim=1), 9)]
    ]


def known(prior, like):
    r"""The logits of a prior at the pairs of another one."""
    row, col = prior.pairs.index
    place = {
        pair: i
        for i, pair in enumerate(zip(row.tolist(), col.tolist(), strict=True))
    }
    wanted = like.pairs.index.t().tolist()
    return prior.logits[[place[tuple(pair)] for pair in wanted]]


@pytest.mark.parametrize('weight', [2.0, -1.0])
def test_known_pairs_keep_their_logits_beside_unseen_nodes(priors, weight):
    few, many = priors
    train = EvidencePrior(few, X[:6], weight, negative_distance)
    # Unseen nodes far from all others would stretch the scale:
    x = torch.cat([X[:6], 20 * X[6:]])
    served = train.extend(many, x)
    torch.testing.assert_close(known(served, train), train.logits)
    anew = EvidencePrior(many, x, weight, negative_distance)
    assert not torch.allclose(known(anew, train), train.logits, atol=0.1)


def test_unseen_pairs_have_the_evidence_of_their_similarity(priors):
    few, many = priors
    train = EvidencePrior(few, X[:6], 1.5, negative_distance)
    served = train.extend(many, X)
    # Evidence is linear in the similarity, with the training pairs' line:
    s = negative_distance(X[:6], few.pairs)
    slope = 1.5 / s.std(correction=0)
    expected = slope * (negative_distance(X, many.pairs) - s.mean())
    torch.testing.assert_close(served.logits - many.logits, expected)


def test_evidence_of_several_kinds_is_extended_one_by_one(priors):
    few, many = priors
    first = EvidencePrior(few, X[:6])
    second = EvidencePrior(
        first, few.edge_index, 3.0, similarity=resource_allocation
    )
    served = second.extend(first.extend(many, X), many.edge_index)
    again = second.extend(first.extend(few, X[:6]), few.edge_index)
    assert torch.equal(again.logits, second.logits)
    assert served.logits.shape == many.logits.shape
    served.check_observed(many.edge_index)


def test_what_was_extended_can_be_extended(priors):
    few, many = priors
    train = EvidencePrior(few, X[:6], similarity=negative_distance)
    again = train.extend(many, X).extend(few, X[:6])
    assert torch.equal(again.logits, train.logits)


@pytest.mark.parametrize(
    'copied', [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_copies_are_on_the_same_scale(priors, copied):
    few, many = priors
    train = EvidencePrior(few, X[:6])
    served = copied(train).extend(many, X)
    assert torch.equal(served.logits, train.extend(many, X).logits)


def test_a_learner_serves_unseen_nodes_on_the_scale_of_training(priors):
    few, many = priors
    learner = VariationalGraphLearner(
        GCNConv(4, 2),
        EvidencePrior(few, X[:6]),
        AmortizedPosterior(Linear(4, 3)),
    )
    served = learner.prior.extend(many, X)
    prob = learner.edge_probs(X, prior=served)
    torch.testing.assert_close(prob, served.probs)
    assert learner.predict(X, prior=served).shape == (9, 2)


def test_what_does_not_fit_is_refused(priors):
    few, many = priors
    train = EvidencePrior(few, X[:6])
    with pytest.raises(ValueError, match="'x' must have one row for each"):
        train.extend(many, X[:6])
    with pytest.raises(TypeError, match="'prior' must be"):
        train.extend(X, X)
