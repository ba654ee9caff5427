import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.nn import (
    GCN,
    GATConv,
    GCNConv,
    GraphConv,
    LEConv,
    SGConv,
)
from torch_geometric.utils import remove_self_loops

from torch_geometric_vgcn import (
    AllPairs,
    BinaryConcrete,
    EdgeWeight,
    MessageGate,
    SmoothedPrior,
    SparseMatrix,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import choose_route, sparse_matrix
from torch_geometric_vgcn.message_passing.sparse_matrix import (
    SymmetricProduct,
)
from torch_geometric_vgcn.pairs.pattern import SymmetricPattern


@given(seed=st.integers(0, 10_000), n=st.integers(2, 9))
def test_product_is_the_dense_one(seed, n):
    generator = torch.Generator().manual_seed(seed)
    index = torch.triu_indices(n, n, 1)
    index = index[:, torch.rand(index.size(1), generator=generator) < 0.6]
    weight = torch.rand(index.size(1), generator=generator)
    dense = torch.zeros(n, n).index_put(tuple(index), weight)
    dense = dense + dense.t()
    pattern = SymmetricPattern(index, n)
    assert torch.equal(pattern.matrix(weight[pattern.pair]).to_dense(), dense)
    x = torch.randn(n, 3, generator=generator)
    entry = weight[pattern.pair]
    out = SymmetricProduct.apply(weight, entry, x, pattern)
    assert torch.allclose(out, dense @ x, atol=1e-5)


def test_gradcheck(graph):
    pattern = SmoothedPrior(graph, 6).pairs.pattern
    weight = torch.rand(7, dtype=torch.double, requires_grad=True)
    x = torch.randn(6, 3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda w, x: SymmetricProduct.apply(
            w, w.detach()[pattern.pair], x, pattern
        ),
        (weight, x),
    )


class Own(torch.nn.Module):
    r"""A user's model, called for one graph at a time."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = GCNConv(8, 16), GraphConv(16, 4)

    def forward(self, x, edge_index, edge_weight=None):
        x = self.conv1(x, edge_index, edge_weight).relu()
        return self.conv2(x, edge_index, edge_weight)


@pytest.mark.parametrize(
    'make',
    [
        lambda: GCNConv(8, 4),
        lambda: GCNConv(8, 4, improved=True, bias=False),
        lambda: GCNConv(8, 4, normalize=False),
        lambda: GraphConv(8, 4),
        lambda: SGConv(8, 4, K=3),
        lambda: GCN(8, 16, 2, 4),
        lambda: GCN(8, 16, 2, 4, jk='cat'),
        lambda: GCN(8, 16, 2, 4, norm='batch_norm'),
        Own,
    ],
)
@pytest.mark.parametrize('num_samples', [1, 3])
@pytest.mark.parametrize('rho0', [1e-5, 0.3], ids=['alone', 'background'])
def test_equals_message_passing(graph, make, num_samples, rho0):
    conv, x = make().eval(), torch.randn(6, 8)
    prior = SmoothedPrior(graph, 6, rho0=rho0)
    noise = BinaryConcrete(0.3).noise(prior, num_samples)
    results = []
    for route in (SparseMatrix(conv), EdgeWeight(conv)):
        learner = VariationalGraphLearner(conv, prior)
        learner.route = route
        out = learner(x, noise=noise)
        parameters = list(learner.parameters())
        grads = torch.autograd.grad(out.square().sum(), parameters)
        results.append((out, *grads))
    for sparse, messages in zip(*results, strict=True):
        assert torch.allclose(sparse, messages, atol=1e-4)


def test_sparse_features(graph):
    learner = VariationalGraphLearner(
        GCN(8, 16, 2, 4), SmoothedPrior(graph, 6)
    )
    x = torch.randn(6, 8).relu()
    noise = learner.noise(3)
    dense = learner(x, noise=noise)
    sparse = learner(x.to_sparse_csr(), noise=noise)
    assert torch.allclose(dense, sparse, atol=1e-6)


def test_without_kernels_the_general_route_is_taken(graph, monkeypatch):
    pairs = SmoothedPrior(graph, 6).pairs
    monkeypatch.setattr(sparse_matrix, 'kernels_work', lambda: False)
    route = choose_route(GCNConv(8, 4), pairs, BinaryConcrete())
    assert type(route) is EdgeWeight


@pytest.mark.parametrize('conv', [GATConv(8, 4), LEConv(8, 4)], ids=str)
def test_convs_without_a_matrix_form_are_refused(conv):
    with pytest.raises(TypeError, match='no form for matrices'):
        SparseMatrix(conv)


class Busy(torch.nn.Module):
    r"""A user's model that looks into the edges."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(8, 4)

    def forward(self, x, edge_index):
        edge_index, _ = remove_self_loops(edge_index)
        return self.conv(x, edge_index)


@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
def test_a_model_that_looks_into_the_edges_goes_another_way(graph, pairs):
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    learner = VariationalGraphLearner(Busy(), prior)
    x, noise = torch.randn(6, 8), learner.noise(2)
    out = learner(x, noise=noise)
    assert str(learner.route) == 'MessageGate()'
    learner.route = MessageGate(learner.conv)
    assert torch.allclose(out, learner(x, noise=noise))


class Plain(torch.nn.Module):
    r"""A user's model that knows nothing of weights."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = GCNConv(8, 16), GCNConv(16, 4)

    def forward(self, x, edge_index):
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


def test_a_model_without_edge_weight(graph):
    learner = VariationalGraphLearner(Plain(), SmoothedPrior(graph, 6))
    x, noise = torch.randn(6, 8), learner.noise(2)
    out = learner(x, noise=noise)
    assert str(learner.route) == 'SparseMatrix()'
    learner.route = MessageGate(learner.conv)
    assert torch.allclose(out, learner(x, noise=noise), atol=1e-5)
