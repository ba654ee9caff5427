import pytest
import torch
from torch_geometric.nn import (
    APPNP,
    GCN,
    GATConv,
    GCNConv,
    GraphConv,
    LEConv,
    SGConv,
)
from torch_geometric.utils import remove_self_loops

from torch_geometric_vgcn import (
    AdjacencyMatrix,
    AllPairs,
    BinaryConcrete,
    EdgeWeight,
    MessageGate,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import matrix
from torch_geometric_vgcn.message_passing.symmetric_matrix import (
    SymmetricMatrix,
)
from torch_geometric_vgcn.sample import GraphSample
from torch_geometric_vgcn.utils import SparseFeatures


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
        lambda: GCNConv(8, 4, bias=False),
        lambda: GCNConv(8, 4, normalize=False),
        lambda: GraphConv(8, 4),
        lambda: SGConv(8, 4, K=3),
        lambda: APPNP(K=3, alpha=0.1),
        lambda: APPNP(K=2, alpha=0.5, normalize=False),
        lambda: GCN(8, 16, 2, 4),
        lambda: GCN(8, 16, 2, 4, jk='cat'),
        lambda: GCN(8, 16, 2, 4, norm='batch_norm'),
        Own,
    ],
)
@pytest.mark.parametrize('num_samples', [1, 3])
@pytest.mark.parametrize(
    'pairs, rho0',
    [(None, 1e-5), (None, 0.3), (AllPairs(6), 1e-5)],
    ids=['few', 'background', 'all'],
)
def test_equals_message_passing(graph, make, num_samples, pairs, rho0):
    conv, x = make().eval(), torch.randn(6, 8)
    prior = SmoothedPrior(graph, 6, rho0=rho0, pairs=pairs)
    noise = BinaryConcrete(0.3).noise(prior, num_samples)
    results = []
    for route in (AdjacencyMatrix(conv), EdgeWeight(conv)):
        learner = VariationalGraphLearner(conv, prior)
        learner.route = route
        out = learner(x, noise=noise)
        parameters = list(learner.parameters())
        grads = torch.autograd.grad(out.square().sum(), parameters)
        results.append((out, *grads))
    for got, expected in zip(*results, strict=True):
        assert torch.allclose(got, expected, atol=1e-4)


@pytest.mark.parametrize('num_nodes', [6, 300], ids=['tile', 'tiles'])
@pytest.mark.parametrize('dense', [True, False], ids=['dense', 'sparse'])
def test_gradcheck(graph, dense, num_nodes):
    pairs = AllPairs(num_nodes) if dense else None
    prior = SmoothedPrior(graph, num_nodes, pairs=pairs).double()
    size = (2, len(prior.pairs))
    weight = torch.rand(size, dtype=torch.double, requires_grad=True)
    x = torch.randn(2, num_nodes, 3, dtype=torch.double, requires_grad=True)

    def products(weight, x):
        sample = GraphSample(prior, prior.logits, weight)
        adj = SymmetricMatrix(sample, slice(None), SparseFeatures())
        first = adj @ x[0], adj.normalized(x[0])  # the same for both graphs
        return *first, adj @ x, adj.normalized(x)

    assert torch.autograd.gradcheck(products, (weight, x), fast_mode=True)


def test_without_kernels_the_general_route_is_taken(graph, monkeypatch):
    monkeypatch.setattr(matrix, 'kernels_work', lambda *args: False)
    learner = VariationalGraphLearner(GCNConv(8, 4), SmoothedPrior(graph, 6))
    learner(torch.randn(6, 8))
    assert str(learner.route) == 'EdgeWeight()'


@pytest.mark.parametrize('conv', [GATConv(8, 4), LEConv(8, 4)], ids=str)
def test_convs_without_a_matrix_form_are_refused(conv):
    with pytest.raises(TypeError, match='no form for matrices'):
        AdjacencyMatrix(conv)


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
    assert str(learner.route) == 'AdjacencyMatrix()'
    learner.route = MessageGate(learner.conv)
    assert torch.allclose(out, learner(x, noise=noise), atol=1e-5)


class Predict(torch.nn.Module):
    r"""A user's model that propagates its outputs."""

    def __init__(self, **options):
        super().__init__()
        self.lin = torch.nn.Linear(8, 4)
        self.propagate = APPNP(K=3, alpha=0.1, **options)

    def forward(self, x, edge_index, edge_weight=None):
        return self.propagate(self.lin(x), edge_index, edge_weight)


@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
@pytest.mark.parametrize(
    'make', [APPNP, lambda **options: Predict(**options)], ids=['conv', 'own']
)
def test_edges_that_appnp_drops_are_no_matrix(graph, make, pairs):
    options = {} if make is not APPNP else {'K': 3, 'alpha': 0.1}
    with pytest.raises(TypeError, match=r'APPNP\(dropout > 0\) drops edges'):
        AdjacencyMatrix(make(dropout=0.5, **options))
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    x, noise = torch.randn(6, 8), BinaryConcrete().noise(prior, 2)
    for dropout, route in ((0.0, AdjacencyMatrix), (0.5, EdgeWeight)):
        conv = make(dropout=dropout, **options)
        learner = VariationalGraphLearner(conv, prior).eval()
        out = learner(x, noise=noise)  # in evaluation mode nothing is dropped
        assert str(learner.route) == f'{route.__name__}()'
        assert torch.equal(learner(x, noise=noise), out)
        learner.train()
        again = learner(x, noise=noise)
        assert torch.equal(again, out) == (dropout == 0)
