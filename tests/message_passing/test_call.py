"""How convs are called on sampled graphs: in which way, with what result."""

import pytest
import torch
from torch_geometric.nn import (
    APPNP,
    GCN,
    DenseGATConv,
    DenseGCNConv,
    DenseGINConv,
    DenseGraphConv,
    DenseSAGEConv,
    GATConv,
    GatedGraphConv,
    GCN2Conv,
    GCNConv,
    GraphConv,
    LEConv,
    PANConv,
    SAGEConv,
    SGConv,
    SimpleConv,
    SSGConv,
)
from torch_geometric.testing import withPackage

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import ConvCall
from torch_geometric_vgcn.sample import GraphSample

Y = torch.tensor([0, 0, 0, 1, 1, 1])


class GCN2(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCN2Conv(8, alpha=0.1)

    def forward(self, x, edge_index):
        return self.conv(x, x, edge_index)


class Dropping(torch.nn.Module):
    r"""A model that drops the edge weights it is given."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(8, 4)

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index)


CONVS = {
    'GCNConv': lambda: GCNConv(8, 4),
    'GCNConv(improved)': lambda: GCNConv(8, 4, improved=True),
    'GCNConv(normalize=False)': lambda: GCNConv(8, 4, normalize=False),
    'GraphConv': lambda: GraphConv(8, 4),
    'SGConv': lambda: SGConv(8, 4, K=2),
    'SSGConv': lambda: SSGConv(8, 4, alpha=0.1, K=2),
    'APPNP': lambda: APPNP(K=3, alpha=0.1),
    'APPNP(dropout)': lambda: APPNP(K=3, alpha=0.1, dropout=0.5),
    'GCN2Conv': GCN2,
    'LEConv': lambda: LEConv(8, 4),
    'SimpleConv': lambda: SimpleConv('sum'),
    'GatedGraphConv': lambda: GatedGraphConv(8, num_layers=2),
    'GCN': lambda: GCN(8, 16, 2, 4, dropout=0.5),
    'GCN(jk)': lambda: GCN(8, 16, 3, 4, jk='cat', norm='batch_norm'),
    'drops weights': Dropping,
}


def graph_with(graph, weight, pairs=None):
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    if weight is None:
        weight = torch.rand(len(prior.pairs))
    return GraphSample(prior, prior.logits, weight[None].requires_grad_())


@pytest.mark.parametrize('name', CONVS)
def test_weight_zero_is_a_deleted_edge_with_a_gradient(graph, name):
    conv, x = CONVS[name]().eval(), torch.randn(6, 8)
    weight = (torch.arange(7) % 3 > 0).float()
    sample = graph_with(graph, weight)
    index = sample.prior.pairs.index[:, weight == 1]
    kept = torch.cat([index, index.flip(0)], dim=1)
    out = ConvCall(conv, BinaryConcrete())(conv, x, sample)
    assert torch.allclose(out, conv(x, kept), atol=1e-5)
    sample = graph_with(graph, None)
    out = ConvCall(conv)(conv, x, sample)
    (grad,) = torch.autograd.grad(out.square().sum(), sample.weight)
    assert (grad != 0).all()


@pytest.mark.parametrize(
    'conv, message',
    [
        (GCNConv(8, 4, cached=True), 'cached=True'),
        (torch.nn.Linear(8, 4), 'contains no PyG message passing layer'),
        (SAGEConv(8, 4, aggr='lstm'), 'only hard samples fit it'),
        (DenseGATConv(8, 4), 'gives no gradient'),
        (DenseGraphConv(8, 4, aggr='max'), 'gives no gradient'),
        (
            torch.nn.ModuleList([DenseGCNConv(8, 4), GCNConv(8, 4)]),
            'mixes dense and message passing layers',
        ),
    ],
    ids=str,
)
def test_what_fits_no_way_is_refused(conv, message):
    with pytest.raises(TypeError, match=message):
        ConvCall(conv, BinaryConcrete())


@pytest.mark.parametrize(
    'make',
    [
        lambda: DenseGCNConv(8, 4),
        lambda: DenseSAGEConv(8, 4),
        lambda: DenseGraphConv(8, 4),
        lambda: DenseGINConv(torch.nn.Linear(8, 4)),
    ],
)
def test_dense_convs_take_the_matrix(graph, make):
    conv, x = make(), torch.randn(6, 8)
    sample = graph_with(graph, None, AllPairs(6))
    out = ConvCall(conv, BinaryConcrete())(conv, x, sample)
    assert out.shape == (6, 4)
    assert torch.allclose(out, conv(x, sample.dense(0))[0])


def test_choice_of_way(graph):
    few, all_pairs = SmoothedPrior(graph, 6).pairs, AllPairs(6)
    concrete, bernoulli = BinaryConcrete(), Bernoulli()
    for conv, pairs, sampler, way in [
        (GCNConv(8, 4), few, concrete, 'matrix'),
        (LEConv(8, 4), few, concrete, 'edge weights'),
        (GCNConv(8, 4), all_pairs, concrete, 'matrix'),
        (GCNConv(8, 4), all_pairs, bernoulli, 'kept edges'),
        (GATConv(8, 4), few, concrete, 'edge weights'),
        (GATConv(8, 4), few, bernoulli, 'kept edges'),
        (GraphConv(8, 4, aggr='mean'), few, concrete, 'edge weights'),
        (SGConv(8, 4), all_pairs, concrete, 'matrix'),
        (APPNP(2, 0.1), few, concrete, 'matrix'),
        (APPNP(2, 0.1), all_pairs, concrete, 'matrix'),
        (APPNP(2, 0.1), few, bernoulli, 'kept edges'),
        (LEConv(8, 4), all_pairs, concrete, 'edge weights'),
        (DenseGCNConv(8, 4), few, concrete, 'dense adjacency'),
    ]:
        prior = SmoothedPrior(graph, 6, pairs=pairs)
        learner = VariationalGraphLearner(conv, prior, sampler=sampler)
        learner(torch.randn(6, 8), num_samples=2)
        assert str(learner.route) == way
        assert f'route={way}' in str(learner)


class Pan(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = PANConv(8, 2, filter_size=2)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)[0]


@withPackage('torch_sparse')
def test_convs_that_only_hard_samples_fit(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.9)
    learner = VariationalGraphLearner(
        Pan(), prior, sampler=Bernoulli(), posterior=FreePosterior()
    )
    out = learner(torch.randn(6, 8), num_samples=2)
    learner.objective(out, Y).loss.backward()
    assert learner.posterior.offset.grad.abs().sum() > 0


def test_all_pairs_cost_only_the_edges_that_are_there(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.9, pairs=AllPairs(6))
    conv, x = SAGEConv(8, 2), torch.randn(6, 8)
    learner = VariationalGraphLearner(conv, prior, sampler=Bernoulli())
    out = learner(x)
    assert str(learner.route) == 'kept edges'
    edge_index, _ = learner.sample.edges(0)
    assert edge_index.size(1) == 2 * int(learner.sample.weight.sum())
    assert torch.allclose(out, conv(x, edge_index), atol=1e-6)


class OwnMatrix(torch.nn.Module):
    """A model that makes a sparse matrix of its own from the weights."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(8, 4, normalize=False)

    def forward(self, x, edge_index, edge_weight=None):
        if edge_weight is None:
            edge_weight = x.new_ones(edge_index.size(1))
        size = (x.size(0), x.size(0))
        matrix = torch.sparse_coo_tensor(edge_index, edge_weight, size)
        return self.conv.lin(torch.sparse.mm(matrix.t(), x)) + self.conv.bias


def test_a_model_with_a_matrix_of_its_own_is_called_with_edge_weights():
    torch.manual_seed(0)
    x = torch.randn(6, 8)
    ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    prior = SmoothedPrior(ring, 6, rho1=0.6)
    learner = VariationalGraphLearner(OwnMatrix(), prior, FreePosterior())
    out = learner(x)
    assert str(learner.route) == 'edge_weight argument'
    edge_index, weight = learner.sample.edges(0)
    torch.testing.assert_close(out, learner.conv(x, edge_index, weight))
    learner.objective(out, Y % 2).loss.backward()
    assert bool((learner.posterior.offset.grad != 0).all())
