import pytest
import torch
from torch_geometric.nn import (
    APPNP,
    GCN,
    GCNConv,
    GraphConv,
    SGConv,
)
from torch_geometric.utils import remove_self_loops

from torch_geometric_vgcn import (
    AllPairs,
    BinaryConcrete,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import call as module
from torch_geometric_vgcn.message_passing.matrix import SymmetricMatrix
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
    learner = VariationalGraphLearner(conv, prior, FreePosterior())
    out = learner(x, noise=noise)
    assert str(learner.route) == 'matrix'
    outs = []
    for s in range(num_samples):
        edge_index, weight = learner.sample.edges(s)
        outs.append(conv(x, edge_index, edge_weight=weight))
    expected = torch.stack(outs) if num_samples > 1 else outs[0]
    parameters, results = list(learner.parameters()), []
    for one in (out, expected):
        loss = one.square().sum()
        grads = torch.autograd.grad(loss, parameters, retain_graph=True)
        results.append((one, *grads))
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
    monkeypatch.setattr(module, 'kernels_work', lambda *args: False)
    learner = VariationalGraphLearner(GCNConv(8, 4), SmoothedPrior(graph, 6))
    learner(torch.randn(6, 8))
    assert str(learner.route) == 'edge weights'


class Busy(torch.nn.Module):
    r"""A user's model that looks into the edges."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(8, 4)

    def forward(self, x, edge_index):
        edge_index, _ = remove_self_loops(edge_index)
        return self.conv(x, edge_index)


@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
def test_a_model_that_looks_into_the_edges_goes_another_way(
    graph, pairs, along_edges
):
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    learner = VariationalGraphLearner(Busy(), prior)
    x, noise = torch.randn(6, 8), learner.noise(2)
    out = learner(x, noise=noise)
    assert str(learner.route) == 'edge weights'
    learner.route = along_edges
    assert torch.allclose(out, learner(x, noise=noise))


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
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    x, noise = torch.randn(6, 8), BinaryConcrete().noise(prior, 2)
    for dropout, way in ((0.0, 'matrix'), (0.5, 'edge weights')):
        conv = make(dropout=dropout, **options)
        learner = VariationalGraphLearner(conv, prior).eval()
        out = learner(x, noise=noise)  # in evaluation mode nothing is dropped
        assert str(learner.route) == way
        assert torch.equal(learner(x, noise=noise), out)
        learner.train()
        again = learner(x, noise=noise)
        assert torch.equal(again, out) == (dropout == 0)
