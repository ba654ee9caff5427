"""A weight of zero is an edge that isn't there, exactly."""

import pytest
import torch
from torch.nn import BatchNorm1d, Module
from torch_geometric.nn import (
    GAT,
    GCN,
    GIN,
    GATConv,
    GCNConv,
    GraphSAGE,
    SAGEConv,
)

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import StraightThroughBernoulli

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))

convs = pytest.mark.parametrize('conv', [GCNConv, SAGEConv, GATConv])
few_or_all = pytest.mark.parametrize(
    'dense', [False, True], ids=['few', 'all']
)


def learner_of(conv, graph, sampler=None, dense=False):
    pairs = AllPairs(6) if dense else None
    prior = SmoothedPrior(graph, 6, 0.5, 0.2, pairs)
    return VariationalGraphLearner(conv, prior, sampler=sampler)


class Counting(Module):
    """Adds a term in the number of edges that it is called with."""

    def __init__(self, conv, share):
        super().__init__()
        self.conv, self.share = conv, share

    def forward(self, x, edge_index):
        return self.conv(x, edge_index) + self.share * edge_index.size(1)


class CountingOnce(Counting):
    """The same in training mode only, and relative to the nodes."""

    def forward(self, x, edge_index):
        out = self.conv(x, edge_index)
        if not self.training:
            return out
        return out * (1 + self.share * edge_index.size(1) / x.size(0))


@convs
@few_or_all
@pytest.mark.parametrize('share', [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize('kind', [Counting, CountingOnce])
def test_a_term_in_the_number_of_edges_is_refused(
    graph, conv, dense, share, kind
):
    learner = learner_of(kind(conv(3, 2), share), graph, dense=dense)
    for call in (learner, learner.predict):
        with pytest.raises(TypeError, match="'conv'.*edge"):
            call(X)


@convs
def test_hard_samples_fit_such_a_model(graph, conv):
    learner = learner_of(Counting(conv(3, 2), 1e-4), graph, Bernoulli())
    learner.eval()
    out = learner(X, num_samples=2)
    for s in range(2):
        edge_index, _ = learner.sample.edges(s)
        expected = learner.conv(X, edge_index)
        assert torch.allclose(out[s], expected, atol=1e-6)


# What is right, in whatever precision it can be called, is not refused


class Cast(Module):
    """Gives single precision, whatever it computes in."""

    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def forward(self, x, edge_index):
        return self.conv(x, edge_index).float()


class CastInside(Cast):
    def forward(self, x, edge_index):
        x = self.conv(x, edge_index).float() * 1.1
        return x.to(self.conv.lin_l.weight.dtype)


class OnlySingle(Cast):
    """Can't be called in double precision."""

    def forward(self, x, edge_index):
        return self.conv(x @ torch.eye(3), edge_index)


class OnlySingleInTraining(Cast):
    def forward(self, x, edge_index):
        x = x @ torch.eye(3) if self.training else x
        return self.conv(x, edge_index)


class Constant(Cast):
    """Holds a tensor that is no buffer."""

    def __init__(self, conv):
        super().__init__(conv)
        self.scale = torch.rand(3)

    def forward(self, x, edge_index):
        return self.conv(x * self.scale, edge_index)


class Deep(Module):
    """Normalises again and again, which makes rounding errors larger."""

    def __init__(self, conv):
        super().__init__()
        self.convs = torch.nn.ModuleList([conv(3, 3) for _ in range(12)])
        self.norms = torch.nn.ModuleList([BatchNorm1d(3) for _ in range(12)])

    def forward(self, x, edge_index):
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = norm(conv(x, edge_index)).relu() + x
        return x


RIGHT = {
    'cast': lambda: Cast(SAGEConv(3, 2)),
    'cast GCN': lambda: Cast(GCN(3, 8, 2, 2)),
    'cast inside': lambda: CastInside(SAGEConv(3, 2)),
    'only single': lambda: OnlySingle(SAGEConv(3, 2)),
    'only single in training': lambda: OnlySingleInTraining(SAGEConv(3, 2)),
    'constant': lambda: Constant(GATConv(3, 2)),
    'deep GCN': lambda: Deep(GCNConv),
    'deep SAGE': lambda: Deep(SAGEConv),
    'deep GAT': lambda: Deep(GATConv),
    'LSTM over layers': lambda: GraphSAGE(3, 8, 3, 2, jk='lstm'),
    'LSTM over layers, GCN': lambda: GCN(3, 8, 3, 2, jk='lstm'),
    'dropout': lambda: GAT(3, 8, 2, 2, dropout=0.5, norm='batch_norm'),
    'dropout GCN': lambda: GCN(3, 8, 2, 2, dropout=0.5),
    'lazy': lambda: GIN(-1, 8, 2, 2),
    'lazy GCN': lambda: GCN(-1, 8, 2, 2),
}


@few_or_all
@pytest.mark.parametrize('name', RIGHT)
def test_what_is_right_is_not_refused(graph, name, dense):
    learner = learner_of(RIGHT[name](), graph, dense=dense)
    before = {
        k: v.dtype for k, v in learner.state_dict().items() if 'conv' in k
    }
    out = learner(X, num_samples=2)
    assert out.isfinite().all()
    assert learner.predict(X, num_samples=2).shape == out.shape[1:]
    after = {
        k: v.dtype for k, v in learner.state_dict().items() if 'conv' in k
    }
    assert set(after.values()) == set(before.values()) - {None}
    out[..., :2].sum().backward()


@few_or_all
@pytest.mark.parametrize('dtype', [torch.half, torch.bfloat16, torch.double])
@pytest.mark.parametrize('model', [GCN, GAT, GraphSAGE, GIN])
def test_models_in_other_precisions_are_not_refused(
    graph, model, dtype, dense
):
    learner = learner_of(model(3, 8, 2, 2), graph, dense=dense).to(dtype)
    out = learner(X.to(dtype), num_samples=2)
    assert out.dtype == dtype and out.isfinite().all()


@few_or_all
@pytest.mark.parametrize('layout', ['csr', 'coo'])
def test_sparse_features_are_not_refused(graph, layout, dense):
    x = X.to_sparse_csr() if layout == 'csr' else X.to_sparse_coo()
    learner = learner_of(GCN(3, 8, 2, 2), graph, dense=dense).eval()
    noise = learner.noise(2)
    out = learner(x, noise=noise)
    assert torch.allclose(out, learner(X, noise=noise), atol=1e-6)


@pytest.mark.parametrize('precision', [torch.float, torch.double])
def test_a_count_is_refused_in_any_precision(graph, precision):
    # ... even where nothing but single precision can tell it.
    conv = Counting(OnlySingle(SAGEConv(3, 2)), 1e-2)
    with pytest.raises(TypeError, match="'conv'.*edge"):
        learner_of(conv, graph)(X)
    conv = Counting(SAGEConv(3, 2), 1e-6).to(precision)
    learner = learner_of(conv, graph).to(precision)
    with pytest.raises(TypeError, match="'conv'.*edge"):
        learner(X.to(precision))


@few_or_all
@pytest.mark.parametrize('model', [GCN, GAT, GraphSAGE, GIN])
def test_hard_graphs_give_what_the_bare_model_gives(graph, model, dense):
    sampler = StraightThroughBernoulli()
    learner = learner_of(model(3, 8, 2, 2), graph, sampler, dense).double()
    learner.eval()
    x = X.double()
    out = learner(x, num_samples=3)
    for s in range(3):
        edge_index, weight = learner.sample.edges(s)
        expected = learner.conv(x, edge_index[:, weight > 0.5])
        scale = expected.abs().max()
        assert (out[s] - expected).abs().max() < 1e-12 * scale


# The first graph may be too small to tell anything


class WithOwnMessage(GCNConv):
    def message(self, x_j, edge_weight):
        return super().message(x_j.tanh(), edge_weight)


class Forgetful(Module):
    """Doesn't pass the weights on to its second layer."""

    def __init__(self):
        super().__init__()
        self.one, self.two = WithOwnMessage(3, 8), WithOwnMessage(8, 2)

    def forward(self, x, edge_index, edge_weight=None):
        x = self.one(x, edge_index, edge_weight).relu()
        return self.two(x, edge_index)


first_batch = pytest.mark.parametrize(
    'nodes', [[0, 5], [0, 1]], ids=['no pair', 'one pair']
)


def learner_after_a_batch(graph, conv, nodes):
    """All edges of its first call are there, and hardly any in later ones."""
    prior = SmoothedPrior(graph, 6, 0.5, 1e-9)
    sampler = StraightThroughBernoulli()
    learner = VariationalGraphLearner(conv, prior, sampler=sampler).eval()
    nodes = torch.tensor(nodes)
    learner(X[nodes], prior=prior.subset(nodes))
    return learner


@first_batch
def test_a_batch_of_few_pairs_tells_nothing_of_weights(graph, nodes):
    conv = Forgetful()
    learner = learner_after_a_batch(graph, conv, nodes)
    for _ in range(3):
        out = learner(X)
        edge_index, weight = learner.sample.edges(0)
        expected = conv(X, edge_index[:, weight > 0.5])
        assert torch.allclose(out, expected, atol=1e-5)


@first_batch
def test_a_batch_of_few_pairs_tells_nothing_of_counts(graph, nodes):
    conv = Counting(GCNConv(3, 2), 1e-2)
    learner = learner_after_a_batch(graph, conv, nodes)
    with pytest.raises(TypeError, match="'conv'.*edge"):
        learner(X)


def test_many_pairs_cost_no_more_than_some(graph):
    # 124,750 pairs: the first call tries the conv on some of them.
    sizes = []

    class Watched(SAGEConv):
        def forward(self, x, edge_index):
            sizes.append(edge_index.size(1))
            return super().forward(x, edge_index)

    edge_index = torch.randint(500, (2, 1000))
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    prior = SmoothedPrior(edge_index, 500, pairs=AllPairs(500))
    learner = VariationalGraphLearner(
        Watched(4, 2), prior, sampler=BinaryConcrete()
    )
    learner(torch.randn(500, 4))
    every = 2 * len(prior.pairs)
    assert sizes.count(every) == 1 and sizes[-1] == every
    assert max(sizes[:-1]) < every / 10
