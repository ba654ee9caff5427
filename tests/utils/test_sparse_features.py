import copy
import pickle

import pytest
import torch
from torch_geometric.nn import GCN, GCNConv, GraphConv, SGConv

from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
from torch_geometric_vgcn.utils import SparseFeatures
from torch_geometric_vgcn.utils import sparse_features as module


@pytest.fixture
def words():
    x = torch.zeros(40, 30)
    place = torch.randint(1200, (60,))
    x.view(-1)[place] = torch.rand(60) + 0.1
    return x


def layouts(x):
    return x.to_sparse_csr(), x.to_sparse_coo(), x


def test_products_and_gradients_are_those_of_dense_features(words):
    weight = torch.randn(5, 30, requires_grad=True)
    expected = words @ weight.t()
    grad = torch.randn(40, 5)
    (expected_grad,) = torch.autograd.grad(expected, weight, grad)
    for x in layouts(words):
        features = SparseFeatures()
        for _ in range(3):
            out = features.linear(x, weight)
            assert torch.allclose(out, expected, atol=1e-5)
            (got,) = torch.autograd.grad(out, weight, grad)
            assert torch.allclose(got, expected_grad, atol=1e-5)


def test_gradcheck(words):
    x = words.double().to_sparse_csr()
    weight = torch.randn(5, 30, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda weight: SparseFeatures().linear(x, weight), (weight,)
    )


def is_sparse(features, x):
    weight = torch.randn(5, 30, requires_grad=True)
    return 'SparseLinear' in str(features.linear(x, weight).grad_fn)


def test_dense_features_are_compressed_when_they_come_again(words):
    features = SparseFeatures()
    assert [is_sparse(features, words) for _ in range(3)] == [0, 1, 1]
    assert not is_sparse(features, words.clone())


def test_hidden_layers_between_do_not_matter(words):
    features = SparseFeatures()
    weight = torch.randn(5, 30)
    for _ in range(3):
        features.linear(words, weight)
        features.linear(torch.rand(40, 30), weight)
    assert is_sparse(features, words)
    assert len(features._compressed) == 1  # nothing is kept alive


def test_features_with_few_zeros_stay_dense():
    features, x = SparseFeatures(), torch.rand(40, 30)
    assert not any(is_sparse(features, x) for _ in range(3))


def test_a_change_in_place_is_noticed(words):
    features = SparseFeatures()
    weight = torch.randn(5, 30)
    for _ in range(2):
        features.linear(words, weight)
    words[0] = 1.0
    out = features.linear(words, weight)
    assert torch.allclose(out, words @ weight.t(), atol=1e-5)


def test_features_that_are_learned_get_their_gradient(words):
    x, weight = words.requires_grad_(), torch.randn(5, 30)
    features = SparseFeatures()
    for _ in range(3):
        (grad,) = torch.autograd.grad(features.linear(x, weight).sum(), x)
        assert torch.allclose(grad, weight.sum(0).expand(40, -1))


def test_without_kernels_they_are_multiplied_as_they_come(words, monkeypatch):
    monkeypatch.setattr(module, 'kernels_work', lambda *args: False)
    features = SparseFeatures()
    assert not any(is_sparse(features, x) for x in layouts(words) * 2)


def test_copies_remember_nothing(words):
    features = SparseFeatures()
    for _ in range(2):
        features.linear(words, torch.randn(5, 30))
    for again in (
        copy.deepcopy(features),
        pickle.loads(pickle.dumps(features)),
    ):
        assert not is_sparse(again, words)


@pytest.mark.parametrize(
    'conv',
    [GCN(30, 8, 2, 4), GCNConv(30, 4), GraphConv(30, 4), SGConv(30, 4)],
    ids=lambda conv: type(conv).__name__,
)
def test_learners_take_sparse_features(words, conv):
    edge_index = torch.randint(40, (2, 80))
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    learner = VariationalGraphLearner(conv, SmoothedPrior(edge_index, 40))
    noise = learner.noise(3)
    expected = learner(words, noise=noise)
    for x in layouts(words):
        out = learner(x, noise=noise)
        assert torch.allclose(out, expected, atol=1e-5)
