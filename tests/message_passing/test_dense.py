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
    GCNConv,
    GraphConv,
    LEConv,
    SGConv,
)

from torch_geometric_vgcn import (
    AdjacencyMatrix,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    DenseAdjacency,
    EdgeWeight,
    KeptEdges,
    MessageGate,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import choose_route
from torch_geometric_vgcn.sample import GraphSample


def all_pairs_sample(graph, weight=None):
    prior = SmoothedPrior(graph, 6, pairs=AllPairs(6))
    if weight is None:
        weight = torch.rand(1, 15).requires_grad_()
    return GraphSample(prior, prior.logits, weight)


@pytest.mark.parametrize(
    'make',
    [
        lambda: GCNConv(8, 4),
        lambda: GCNConv(8, 4, normalize=False),
        lambda: GraphConv(8, 4),
        lambda: SGConv(8, 4, K=2),
        lambda: SGConv(8, 16, K=2, bias=False),
        lambda: APPNP(K=3, alpha=0.2),
        lambda: GCN(8, 16, 2, 4, norm='layer_norm'),
    ],
)
def test_dense_equals_sparse(graph, make):
    torch.manual_seed(0)
    conv, x = make().eval(), torch.randn(6, 8)
    sample = all_pairs_sample(graph)
    grads = []
    outs = []
    for route in (AdjacencyMatrix(conv), EdgeWeight(conv)):
        outs.append(route(conv, x, sample))
        parameters = [sample.weight, *conv.parameters()]
        grads.append(torch.autograd.grad(outs[-1].square().sum(), parameters))
    assert torch.allclose(*outs, atol=1e-5)
    for dense, sparse in zip(*grads, strict=True):
        assert torch.allclose(dense, sparse, atol=1e-4)


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
    sample = all_pairs_sample(graph)
    out = DenseAdjacency(conv)(conv, x, sample)
    assert out.shape == (6, 4)
    assert torch.allclose(out, conv(x, sample.dense(0))[0])


def test_the_model_is_left_as_it_was(graph):
    class Broken(GCN):
        def forward(self, x, edge_index, edge_weight=None):
            super().forward(x, edge_index, edge_weight)
            raise RuntimeError('broken')

    conv = Broken(8, 16, 2, 4)
    with pytest.raises(RuntimeError, match='broken'):
        AdjacencyMatrix(conv)(conv, torch.randn(6, 8), all_pairs_sample(graph))
    for module in conv.modules():
        assert 'forward' not in module.__dict__


@pytest.mark.parametrize(
    'conv',
    [DenseGATConv(8, 4), DenseGraphConv(8, 4, aggr='max')],
    ids=str,
)
def test_dense_convs_without_gradient_are_refused(conv):
    with pytest.raises(TypeError, match='gives no gradient'):
        DenseAdjacency(conv)


def test_choice_of_route(graph):
    few, all_pairs = SmoothedPrior(graph, 6).pairs, AllPairs(6)
    concrete, bernoulli = BinaryConcrete(), Bernoulli()
    for conv, pairs, sampler, route in [
        (GCNConv(8, 4), few, concrete, AdjacencyMatrix),
        (LEConv(8, 4), few, concrete, EdgeWeight),
        (GCNConv(8, 4), all_pairs, concrete, AdjacencyMatrix),
        (GCNConv(8, 4), all_pairs, bernoulli, KeptEdges),
        (GATConv(8, 4), few, concrete, MessageGate),
        (GATConv(8, 4), few, bernoulli, KeptEdges),
        (GraphConv(8, 4, aggr='mean'), few, concrete, MessageGate),
        (SGConv(8, 4), all_pairs, concrete, AdjacencyMatrix),
        (APPNP(2, 0.1), few, concrete, AdjacencyMatrix),
        (APPNP(2, 0.1), all_pairs, concrete, AdjacencyMatrix),
        (APPNP(2, 0.1), few, bernoulli, KeptEdges),
        (LEConv(8, 4), all_pairs, concrete, EdgeWeight),
        (DenseGCNConv(8, 4), few, concrete, DenseAdjacency),
    ]:
        prior = SmoothedPrior(graph, 6, pairs=pairs)
        learner = VariationalGraphLearner(conv, prior, sampler=sampler)
        learner(torch.randn(6, 8), num_samples=2)
        assert str(learner.route) == f'{route.__name__}()'
    with pytest.raises(TypeError, match='gives no gradient'):
        choose_route(DenseGATConv(8, 4), concrete)
