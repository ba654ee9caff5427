"""Whatever the model: edges of weight zero are edges that aren't there."""

import pytest
import torch
from torch.nn.utils import (
    parametrizations,
    prune,
    spectral_norm,
    weight_norm,
)
from torch_geometric.nn import (
    APPNP,
    GAT,
    GCN,
    GATConv,
    GCNConv,
    GraphConv,
    GraphSAGE,
    Linear,
    MeanAggregation,
    MessagePassing,
    SAGEConv,
    SGConv,
)
from torch_geometric.utils import scatter, sort_edge_index

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    ClusterPairs,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import StraightThroughBernoulli

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))


def learner_of(conv, graph, sampler=None, pairs=None, rho0=0.2, num_nodes=6):
    prior = SmoothedPrior(graph, num_nodes, 0.5, rho0, pairs)
    sampler = sampler or StraightThroughBernoulli()
    return VariationalGraphLearner(
        conv, prior, sampler=sampler, posterior=FreePosterior()
    )


def is_exact(learner, x=X, num_samples=3):
    """Hard samples through the route, beside the bare conv on their edges."""
    learner.eval()
    out = learner(x, num_samples=num_samples)
    for s in range(num_samples):
        edge_index, weight = learner.sample.edges(s)
        expected = learner.conv(x, edge_index[:, weight > 0.5])
        if not torch.allclose(out[s], expected, atol=1e-4):
            return False
    return True


class WithOwnMessage(GCNConv):
    def message(self, x_j, edge_weight):
        return 10 * x_j.tanh()


class Centred(GCN):
    """An operation over nodes, after the layers."""

    def forward(self, x, edge_index, edge_weight=None):
        out = super().forward(x, edge_index, edge_weight)
        return out - out.mean(0)


class Forgetful(torch.nn.Module):
    """Its second layer isn't given the weights."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = GCNConv(4, 8), GCNConv(8, 3)

    def forward(self, x, edge_index, edge_weight=None):
        x = self.conv1(x, edge_index, edge_weight).relu()
        return self.conv2(x, edge_index)


class ForgetfulOfTheEdges(Forgetful):
    """The same, of convs that can't take a matrix."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = WithOwnMessage(4, 8), WithOwnMessage(8, 3)


class Pooled(torch.nn.Module):
    """A readout over nodes, as many as there are edges."""

    def __init__(self):
        super().__init__()
        self.conv, self.pool = GATConv(4, 3), MeanAggregation()

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index)
        group = torch.arange(x.size(0)) % 2
        return h + self.pool(h, group, dim_size=2)[group]


class Sorting(torch.nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def forward(self, x, edge_index):
        return self.conv(x, sort_edge_index(edge_index))


class Propagated(torch.nn.Module):
    """Propagates outputs, and may drop edges in training."""

    def __init__(self, **options):
        super().__init__()
        self.lin = torch.nn.Linear(4, 3)
        self.conv = APPNP(K=3, alpha=0.2, **options)

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(self.lin(x), edge_index, edge_weight)


def biased():
    conv = GCNConv(4, 3)
    conv.lin = Linear(4, 3, bias=True)
    return conv


def changed(change, conv=GCNConv, name='lin'):
    conv = conv(4, 3)
    change(getattr(conv, name), 'weight')
    return conv


def with_hook(conv=None):
    conv = GCNConv(4, 3) if conv is None else conv
    conv.lin.register_forward_hook(lambda module, args, out: 2 * out)
    return conv


def with_message_hook():
    conv = GCNConv(4, 3)
    conv.register_message_forward_hook(lambda module, args, out: 2 * out)
    return conv


MODELS = {
    'own message': lambda: WithOwnMessage(4, 3),
    'over nodes': lambda: Centred(4, 8, 2, 3),
    'forgetful': Forgetful,
    'forgetful of edges': ForgetfulOfTheEdges,
    'sorting GCN': lambda: Sorting(GCNConv(4, 3)),
    'sorting SAGE': lambda: Sorting(SAGEConv(4, 3)),
    'sorting GAT': lambda: Sorting(GATConv(4, 3)),
    'biased lin': biased,
    'hook on lin': with_hook,
    'hook on messages': with_message_hook,
    'spectral_norm': lambda: changed(parametrizations.spectral_norm),
    'old spectral_norm': lambda: changed(spectral_norm),
    'new weight_norm': lambda: changed(parametrizations.weight_norm),
    'weight_norm': lambda: changed(weight_norm),
    'pruning': lambda: changed(lambda m, n: prune.l1_unstructured(m, n, 0.5)),
    'SG, spectral_norm': lambda: changed(
        parametrizations.spectral_norm, SGConv
    ),
    'Graph, weight_norm': lambda: changed(weight_norm, GraphConv, 'lin_rel'),
    'improved': lambda: GCNConv(4, 3, improved=True),
    'APPNP': Propagated,
    'APPNP, dropout': lambda: Propagated(dropout=0.5),
    'softmax over nodes': lambda: GCN(4, 8, 2, 3, act=torch.nn.Softmax(dim=0)),
    'lazy GCN': lambda: GCN(-1, 8, 2, 3),
    'lazy GAT': lambda: GAT(-1, 8, 2, 3),
    'lazy SAGE': lambda: SAGEConv(-1, 3),
}


@pytest.mark.filterwarnings('ignore:.*weight_norm.*:FutureWarning')
@pytest.mark.parametrize('name', MODELS)
@pytest.mark.parametrize('dense', [False, True], ids=['few', 'all'])
def test_exact_for(graph, name, dense):
    conv = MODELS[name]()
    learner = learner_of(conv, graph, pairs=AllPairs(6) if dense else None)
    assert is_exact(learner)
    # ... and learned, with a gradient for each weight of the network:
    learner.train()
    for _ in range(2):
        out = learner(X, num_samples=2)
        y = torch.tensor([0, 1, 2, 0, 1, 2])
        learner.objective(out, y).loss.backward()
    assert learner.posterior.offset.grad.abs().sum() > 0
    grads = [p.grad for p in learner.conv.parameters()]
    assert all(grad is not None for grad in grads)


def test_as_many_edges_as_nodes():
    graph = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 0, 3, 2, 5, 4]])
    pairs = ClusterPairs(torch.tensor([0, 0, 1, 1, 2, 2]))
    assert is_exact(learner_of(Pooled(), graph, pairs=pairs))


def test_a_permutation_of_nodes_that_looks_like_edges():
    # The index of the sum is that of the edges' targets, number by number.
    class Permuted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.pool = SAGEConv(4, 3), MeanAggregation()

        def forward(self, x, edge_index):
            index = torch.tensor([1, 3, 5, 0, 2, 4])
            return self.pool(self.conv(x, edge_index), index, dim_size=6)

    graph = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 0, 3, 2, 5, 4]])
    learner = learner_of(Permuted(), graph, rho0=1e-9)
    with pytest.raises(TypeError, match='only hard samples fit it'):
        learner(X)


def test_sums_over_edges_that_cannot_be_identified_are_refused(graph):
    class Half(MessagePassing):
        def forward(self, x, edge_index):
            return self.propagate(edge_index, x=x)

        def message(self, x_j, index, size_i):
            half = index.numel() // 2
            first = scatter(x_j[:half], index[:half], 0, size_i)
            return x_j - first[index]

    learner = learner_of(Half(), graph, rho0=1e-9)
    with pytest.raises(TypeError, match='weights of zero'):
        learner(X)
    learner_of(Half(), graph, Bernoulli(), rho0=1e-9)(X, num_samples=2)


def test_background_slots_that_are_empty_hold_no_edge(graph):
    prior = SmoothedPrior(graph, 6, 0.5, 0.2)
    sampler = BinaryConcrete()
    noise = sampler.noise(prior, 50)
    assert (noise.background.weight == 0).any()
    sample = sampler(prior, prior.logits, noise)
    for s in range(50):
        edge_index, weight = sample.edges(s)
        assert (weight > 0).all()
        key = edge_index[0] * 6 + edge_index[1]
        assert key.unique().numel() == key.numel()


def test_verification_leaves_no_trace(graph):
    conv = GraphSAGE(4, 8, 2, 3, norm='batch_norm', dropout=0.5)
    learner = learner_of(conv, graph)
    before = {k: v.clone() for k, v in conv.state_dict().items()}
    noise, rng = learner.noise(2), torch.get_rng_state()
    conv.norms[0].train()
    modes = [module.training for module in learner.eval().modules()]
    learner(X, noise=noise)
    assert torch.equal(torch.get_rng_state(), rng)
    assert modes == [module.training for module in learner.modules()]
    for name, value in conv.state_dict().items():
        assert torch.equal(value, before[name]), name


def test_a_change_of_the_conv_is_verified_anew(graph):
    conv = GCNConv(4, 3)
    learner = learner_of(conv, graph)
    assert is_exact(learner)
    with_hook(conv)
    assert is_exact(learner)
    prune.random_unstructured(conv.lin, 'weight', 0.5)
    assert is_exact(learner)
    conv.register_message_forward_hook(lambda module, args, out: 3 * out)
    assert is_exact(learner)


def test_attributes_in_one_call_do_not_change_the_next(graph):
    learner = learner_of(GCNConv(4, 3), graph)
    learner(X)
    assert str(learner.route) == 'matrix'
    noise = learner.noise(2)
    expected = learner(X, noise=noise)

    class Attributed(torch.nn.Module):
        def __init__(self, conv):
            super().__init__()
            self.conv = conv

        def forward(self, x, edge_index, edge_attr=None):
            return self.conv(x, edge_index)

    wrapped = learner_of(Attributed(learner.conv), graph)
    edge_attr = torch.ones(graph.size(1))
    wrapped(X, graph, edge_attr)
    assert torch.allclose(wrapped(X, noise=noise), expected, atol=1e-5)
    assert str(wrapped.route) == 'edge weights, matrix'


def test_modules_made_in_the_first_call_stay(graph):
    class Growing(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = SAGEConv(4, 3)

        def forward(self, x, edge_index):
            if not hasattr(self, 'head'):
                self.head = torch.nn.Linear(3, 2)
            return self.head(self.conv(x, edge_index))

    learner = learner_of(Growing(), graph)
    outs = [learner(X, noise=noise) for noise in [learner.noise()] * 2]
    assert torch.equal(*outs)
    assert 'conv.head.weight' in learner.state_dict()


class Captured(torch.nn.Module):
    """Its dropout is called by a reference that a copy doesn't have."""

    def __init__(self):
        super().__init__()
        self.conv, self.dropout = SAGEConv(4, 3), torch.nn.Dropout()
        self.layers = lambda x, e: self.dropout(self.conv(x, e))

    def forward(self, x, edge_index):
        return self.layers(x, edge_index)


@pytest.mark.parametrize('sampler', [BinaryConcrete(), Bernoulli()], ids=str)
def test_references_that_are_no_submodules_are_refused(graph, sampler):
    learner = learner_of(Captured(), graph, sampler)
    with pytest.raises(TypeError, match='reference that is no submodule'):
        learner.predict(X)


def test_parametrizations_must_not_be_cached(graph):
    learner = learner_of(changed(parametrizations.spectral_norm), graph)
    learner.predict(X)
    with torch.nn.utils.parametrize.cached():
        with pytest.raises(RuntimeError, match='parametrize.cached'):
            learner.predict(X)


def test_aggregations_that_read_in_order_are_refused_at_once(graph):
    conv = SAGEConv(4, 3, aggr='lstm')
    with pytest.raises(TypeError, match='only hard samples fit it'):
        learner_of(conv, graph)
    assert learner_of(conv, graph, Bernoulli())(X).shape == (6, 3)
