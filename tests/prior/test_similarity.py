import pytest
import torch
from sklearn.metrics import pairwise

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import (
    cosine_similarity,
    jaccard_similarity,
    negative_distance,
)


@pytest.fixture(params=['all pairs', 'candidates'])
def pairs(request, graph):
    if request.param == 'all pairs':
        return AllPairs(6)
    return Candidates(graph, 6)


@pytest.fixture
def words():
    """Six documents of a few of ten words, the last without any."""
    x = (torch.rand(6, 10) < 0.4).float()
    x[5] = 0
    return x


def of(matrix, pairs):
    row, col = pairs.index
    return torch.as_tensor(matrix, dtype=torch.float)[row, col]


def test_cosine_equals_that_of_scikit_learn(pairs, words):
    for x in (words, torch.randn(6, 4)):
        value = cosine_similarity(x, pairs)
        torch.testing.assert_close(
            value, of(pairwise.cosine_similarity(x), pairs)
        )


def test_distance_equals_that_of_scikit_learn(pairs, words):
    for x in (words, torch.randn(6, 4)):
        value = negative_distance(x, pairs)
        expected = -of(pairwise.euclidean_distances(x), pairs)
        torch.testing.assert_close(value, expected, rtol=1e-5, atol=1e-5)


def test_jaccard_is_the_share_of_common_words(pairs, words):
    documents = [set(row.nonzero().view(-1).tolist()) for row in words]
    expected = []
    for i, j in pairs.index.t().tolist():
        either = documents[i] | documents[j]
        common = documents[i] & documents[j]
        expected.append(len(common) / len(either) if either else 0.0)
    value = jaccard_similarity(words, pairs)
    torch.testing.assert_close(value, torch.tensor(expected))


def test_jaccard_counts_words_not_their_weights(pairs, words):
    weighted = words * torch.linspace(0.1, 5, 10)
    value = jaccard_similarity(weighted, pairs)
    assert torch.equal(value, jaccard_similarity(words, pairs))


@pytest.mark.parametrize(
    'similarity', [cosine_similarity, jaccard_similarity, negative_distance]
)
def test_sparse_features_equal_dense_ones(pairs, words, similarity):
    value = similarity(words.to_sparse(), pairs)
    assert torch.equal(value, similarity(words, pairs))


@pytest.mark.parametrize(
    'similarity, most',
    [
        (cosine_similarity, 1.0),
        (jaccard_similarity, 1.0),
        (negative_distance, 0.0),
    ],
)
def test_nodes_with_the_same_features_are_most_alike(similarity, most):
    x = torch.tensor([[0.3, 0.7, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 0.4]])
    value = similarity(x, AllPairs(3))
    torch.testing.assert_close(value[0], torch.tensor(most))
    assert (value[0] > value[1:]).all()
