"""Sparse features, and dense ones that are promised not to change."""

import pytest
import torch
from torch_geometric.nn import GCN, GCNConv, GraphConv, SGConv

from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
from torch_geometric_vgcn.message_passing import SparseDropout
from torch_geometric_vgcn.utils import SparseFeatures, unchanged


@pytest.fixture
def words():
    x = torch.zeros(40, 30)
    place = torch.randint(1200, (60,))
    x.view(-1)[place] = torch.rand(60) + 0.1
    return x


def layouts(x):
    return x.to_sparse_csr(), x.to_sparse_coo(), x


def is_sparse(features, x):
    weight = torch.randn(5, 30, requires_grad=True)
    return 'SparseLinear' in str(features.linear(x, weight).grad_fn)


def test_products_and_gradients_are_those_of_dense_features(words):
    weight = torch.randn(5, 30, requires_grad=True)
    expected = words @ weight.t()
    grad = torch.randn(40, 5)
    (expected_grad,) = torch.autograd.grad(expected, weight, grad)
    features = SparseFeatures()
    with unchanged(words):
        for x in layouts(words) * 2:
            assert is_sparse(features, x)
            out = features.linear(x, weight)
            torch.testing.assert_close(out, expected)
            (got,) = torch.autograd.grad(out, weight, grad)
            torch.testing.assert_close(got, expected_grad)


def test_gradcheck(words):
    x = words.double().to_sparse_csr()
    weight = torch.randn(5, 30, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda weight: SparseFeatures().linear(x, weight), (weight,)
    )


def test_dense_features_are_converted_while_they_stay_unchanged(words):
    features = SparseFeatures()
    with unchanged(words):
        assert is_sparse(features, words)
        assert not is_sparse(features, words.clone())
        with unchanged(words):
            assert is_sparse(features, words)
        assert is_sparse(features, words)
    assert not is_sparse(features, words)
    few_zeros = torch.rand(40, 30)
    with unchanged(few_zeros):
        assert not is_sparse(features, few_zeros)


@pytest.mark.parametrize('layout', [torch.strided, torch.sparse_csr])
def test_a_change_of_features_is_never_overlooked(words, layout):
    learner = VariationalGraphLearner(
        GCN(30, 8, 2, 4), SmoothedPrior(torch.tensor([[0], [1]]), 40)
    ).eval()
    x = words if layout == torch.strided else words.to_sparse_csr()
    entries = x if layout == torch.strided else x.values()
    noise = learner.noise()
    for change in (
        lambda: entries.mul_(2.0),
        lambda: entries.data.add_(1.0),
        lambda: entries.numpy().fill(3.0),
    ):
        before = learner(x, noise=noise)
        change()
        out = learner(x, noise=noise)
        assert not torch.allclose(out, before)
        expected = learner(x.to_dense().clone(), noise=noise)
        torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


def test_features_that_are_learned_get_their_gradient(words):
    x, weight = words.requires_grad_(), torch.randn(5, 30)
    features = SparseFeatures()
    with unchanged(x):
        (grad,) = torch.autograd.grad(features.linear(x, weight).sum(), x)
    assert torch.allclose(grad, weight.sum(0).expand(40, -1))


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
    with learner.unchanged(words):
        for x in layouts(words):
            out = learner(x, noise=noise)
            torch.testing.assert_close(out, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize('layout', [torch.sparse_csr, torch.sparse_coo])
def test_dropout_drops_or_scales_non_zeros(layout):
    x = (torch.rand(100, 50) < 0.2).float()
    dropout = SparseDropout(0.25)
    out = dropout(x.to_sparse(layout=layout))
    assert out.layout == torch.sparse_csr
    dense = out.to_dense()
    assert (dense[x == 0] == 0).all()
    kept = dense[x == 1]
    assert 0.7 < float((kept > 0).float().mean()) < 0.8
    assert torch.allclose(kept[kept > 0], torch.tensor(4 / 3))
    dropout.eval()
    assert torch.equal(dropout(x.to_sparse(layout=layout)).to_dense(), x)


def test_dense_features_are_dropped_as_by_pytorch():
    x = torch.rand(10, 10)
    torch.manual_seed(0)
    expected = torch.nn.functional.dropout(x)
    torch.manual_seed(0)
    assert torch.equal(SparseDropout()(x), expected)


def test_the_gradient_is_that_of_the_features_as_they_were_dropped(words):
    weight = torch.randn(5, 30, requires_grad=True)
    features, dropout = SparseFeatures(), SparseDropout()
    for _ in range(3):
        x = dropout(words.to_sparse_csr())
        assert is_sparse(features, x)
        (grad,) = torch.autograd.grad(features.linear(x, weight).sum(), weight)
        torch.testing.assert_close(grad, x.to_dense().sum(0).expand(5, -1))
