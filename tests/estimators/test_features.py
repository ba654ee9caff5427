import numpy as np
import pytest
import scipy.sparse
import torch

from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.recipe.features import are_counts


@pytest.fixture
def words():
    rng = np.random.RandomState(0)
    return rng.poisson(0.3, (20, 30)).astype(float)


def test_measurements_are_standardised():
    x = np.random.RandomState(0).randn(50, 3) * [1, 100, 1e300] + [5, 0, 0]
    features = Features.of(x)
    out = features(x)
    torch.testing.assert_close(features(x[:2]), out[:2])
    constant = np.append(x, np.full((50, 1), 1e9), axis=1)
    assert (Features.of(constant)(constant)[:, 3] == 0).all()
    assert not are_counts(x)
    torch.testing.assert_close(out.mean(dim=0), torch.zeros(3).double())
    torch.testing.assert_close(
        out.std(dim=0, correction=0), torch.ones(3).double()
    )


def test_counts_are_compared_by_direction(words):
    features = Features.of(words)
    assert features.counts
    out = features(words)
    torch.testing.assert_close(out, features(7 * words))
    torch.testing.assert_close(out.mean(dim=0), torch.zeros(30).double())
    # Distances are those of rows of norm one, in another unit:
    unit = words / np.linalg.norm(words, axis=1, keepdims=True)
    expected = np.linalg.norm(unit[0] - unit[1]) * np.sqrt(30) / 2
    assert np.allclose((out[0] - out[1]).norm(), expected)


@pytest.mark.parametrize('width', [30, 900])  # as they are, and reduced
def test_rows_without_any_count_are_nobodys_neighbours(width):
    rng = np.random.RandomState(0)
    words = rng.poisson(0.3, (60, width)).astype(float)
    words[[3, 7]] = 0
    for x in (words, scipy.sparse.csr_array(words)):
        features = Features.of(x)
        out = features(x)
        distance = torch.cdist(out, out).fill_diagonal_(torch.inf)
        others = [row for row in range(60) if row not in (3, 7)]
        nearest = distance[others].topk(10, largest=False).indices
        assert not torch.isin(nearest, torch.tensor([3, 7])).any()
        assert distance[3, 7] == 0  # alike
        # As far as rows that have no word in common:
        apart = distance[3, others]
        unit = np.sqrt(out.shape[1]) / 2
        torch.testing.assert_close(
            apart, torch.full_like(apart, np.sqrt(2) * unit)
        )
        new = features(np.zeros((1, width)))
        torch.testing.assert_close(new[0], out[3])


@pytest.mark.parametrize('counts', [True, False])
def test_sparse_rows_give_the_same_features(words, counts):
    features = Features.of(scipy.sparse.csr_array(words), counts)
    sparse = features(scipy.sparse.csr_array(words))
    torch.testing.assert_close(sparse, features(words))


def test_rare_categories_do_not_outweigh_all_else():
    x = np.zeros((200, 3))
    x[0, 0] = 1  # one row of 200
    x[:100, 1] = 1
    x[:, 2] = np.random.RandomState(0).randn(200)
    out = Features.of(x, counts=False)(x)
    assert float(out[:, :2].abs().max()) <= 2


def test_categories_beside_a_number_are_no_counts():
    rng = np.random.RandomState(0)
    kinds = np.eye(10)[rng.randint(10, size=100)]
    age = rng.randint(1, 99, size=(100, 1))
    assert are_counts(kinds)
    assert not are_counts(np.concatenate([kinds, age], axis=1))


def test_what_counts_look_like(words):
    assert are_counts(words)
    assert are_counts(scipy.sparse.csr_array(words))
    assert not are_counts(words - 0.1)
    assert not are_counts(words + 1)  # positive measurements
    assert not are_counts(scipy.sparse.csr_array(-words))


def test_sparse_rows_after_dense_ones_are_centred_too():
    x = np.random.RandomState(0).randn(50, 2) + 3
    features = Features.of(x)
    out = features(scipy.sparse.csr_array(x[:4]))
    torch.testing.assert_close(out, features(x[:4]))
