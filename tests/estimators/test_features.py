import numpy as np
import pytest
import scipy.sparse
import torch

from torch_geometric_vgcn.estimators.features import Features, are_counts


@pytest.fixture
def words():
    rng = np.random.RandomState(0)
    return rng.poisson(0.3, (20, 30)).astype(float)


def test_measurements_are_standardised():
    x = np.random.RandomState(0).randn(50, 3) * [1, 100, 1e300] + [5, 0, 0]
    out = Features.of(x)(x)
    assert not are_counts(x)
    torch.testing.assert_close(out.mean(dim=0), torch.zeros(3).double())
    torch.testing.assert_close(
        out.std(dim=0, correction=0), torch.ones(3).double()
    )


def test_counts_have_rows_of_norm_one(words):
    words[3] = 0
    features = Features.of(words)
    assert features.counts
    size = features(words).norm(dim=1)
    assert size[3] == 0
    torch.testing.assert_close(size[size > 0], torch.ones(19).double())


@pytest.mark.parametrize('counts', [True, False])
def test_sparse_rows_stay_sparse(words, counts):
    features = Features.of(scipy.sparse.csr_array(words), counts)
    out = features(scipy.sparse.csr_array(words))
    assert out.layout == torch.sparse_csr
    dense = features(words)
    torch.testing.assert_close(out.to_dense(), dense)


def test_a_constant_column_is_no_evidence():
    x = np.random.RandomState(0).randn(50, 2)
    x[:, 1] = 1e9
    out = Features.of(x)(x)
    assert (out[:, 1] == 0).all()


def test_unseen_rows_are_scaled_as_those_before():
    x = np.random.RandomState(0).randn(50, 2)
    features = Features.of(x)
    other = np.array([[10.0, -3.0]])
    expected = (other - x.mean(axis=0)) / x.std(axis=0)
    assert np.allclose(features(other).numpy(), expected)


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
