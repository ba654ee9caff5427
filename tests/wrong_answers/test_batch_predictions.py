"""Predictions in batches are those of one call for all nodes."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import SparseAdam
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import (
    APPNP,
    GAT,
    GCN,
    GIN,
    GCNConv,
    GINEConv,
    GraphNorm,
    GraphSAGE,
    SGConv,
)
from torch_geometric.transforms import RandomNodeSplit
from torch_geometric.utils import grid, stochastic_blockmodel_graph

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    Bernoulli,
    ClassPosterior,
    ClusterPairs,
    FreePosterior,
    Gaussian,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
    fit_batches,
    predict_batches,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.sample import PosteriorMean

N, F = 144, 5
GRID, _ = grid(12, 12)
GRID = GRID[:, GRID[0] != GRID[1]]
BATCHES = torch.arange(N).split(20)


class Tied(nn.Module):
    """One conv, called several times."""

    def __init__(self):
        super().__init__()
        self.first, self.conv = nn.Linear(F, 8), GCNConv(8, 8)
        self.last = nn.Linear(8, 3)

    def forward(self, x, edge_index, edge_weight=None):
        h = self.first(x)
        for _ in range(3):
            h = self.conv(h, edge_index, edge_weight).tanh()
        return self.last(h)


class Normalised(nn.Module):
    """Each node depends on all others."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = GCNConv(F, 8), GraphNorm(8)
        self.last = GCNConv(8, 3)

    def forward(self, x, edge_index, edge_weight=None):
        h = self.norm(self.first(x, edge_index, edge_weight)).relu()
        return self.last(h, edge_index, edge_weight)


class Diffused(nn.Module):
    """One layer, and many steps."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(F, 3), APPNP(4, 0.1)

    def forward(self, x, edge_index, edge_weight=None):
        return self.last(self.first(x), edge_index, edge_weight)


NETS = {
    'GCN': lambda: GCN(F, 8, 2, 3),
    'GCN of three layers': lambda: GCN(F, 8, 3, 3, jk='cat'),
    'GAT': lambda: GAT(F, 8, 2, 3),
    'GraphSAGE': lambda: GraphSAGE(F, 8, 2, 3),
    'GIN': lambda: GIN(F, 8, 2, 3, norm='batch_norm'),
    'SGConv': lambda: SGConv(F, 3, K=3),
    'APPNP': Diffused,
    'PropagatedMLP': lambda: PropagatedMLP(F, 8, 3),
    'the same conv three times': Tied,
    'GraphNorm': Normalised,
    'one layer': lambda: GCN(F, 8, 1, 3),
}


def features():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(N, F, generator=generator)


def learner_of(net, posterior=None, sampler=None, **kwargs):
    seed_everything(0)
    prior = SmoothedPrior(GRID, N, rho1=0.6, **kwargs.pop('prior', {}))
    posterior = posterior or FreePosterior()
    learner = VariationalGraphLearner(
        net, prior, posterior, sampler or PosteriorMean(), **kwargs
    )
    if isinstance(learner.posterior, FreePosterior):
        with torch.no_grad():
            learner.posterior.offset.normal_()
    return learner


@pytest.mark.parametrize('net', NETS)
def test_any_network_sees_all_that_it_would_see(net):
    learner, x = learner_of(NETS[net]()), features()
    expected = learner.predict(x)
    got = predict_batches(learner, x, BATCHES)
    assert torch.allclose(got, expected, atol=1e-5)


@pytest.mark.parametrize('sampler', [PosteriorMean, Bernoulli])
def test_nodes_that_never_met_may_be_in_one_batch(sampler):
    learner = learner_of(
        GCN(F, 8, 2, 3), sampler=sampler(), prior={'rho0': 1e-12}
    )
    x = features()
    with torch.no_grad():  # certain edges, so that samples are alike
        edges = learner.prior.pairs.index.sum(dim=0) % 3 == 0
        learner.posterior.offset.copy_(torch.where(edges, -50.0, 50.0))
    order = torch.randperm(N, generator=torch.Generator().manual_seed(1))
    got = predict_batches(learner, x, order.split([1, 2, 41, 100]), 2)
    assert torch.allclose(got, learner.predict(x, 2), atol=1e-5)


@pytest.mark.parametrize('encoder', [nn.Linear(F, 4), GCN(F, 8, 2, 4)])
def test_what_the_posterior_sees_belongs_to_it(encoder):
    learner = learner_of(GIN(F, 8, 1, 3), AmortizedPosterior(encoder))
    x = features()
    with torch.no_grad():
        learner.posterior.scale.fill_(3.0)
    expected = learner.predict(x)
    got = predict_batches(learner, x, BATCHES)
    assert torch.allclose(got, expected, atol=1e-5)


def test_classes_of_a_posterior():
    learner, x = learner_of(GCN(F, 8, 2, 3), ClassPosterior(3)), features()
    y = torch.arange(N) % 3
    data = Data(x=x, y=y, train_mask=y == 0, val_mask=y == 1)
    data.train_mask = torch.arange(N) % 2 == 0
    fit(learner, data, epochs=3, progress=False)
    expected = learner.predict(x)
    got = predict_batches(learner, x, BATCHES)
    assert torch.allclose(got, expected, atol=1e-5)


def test_edge_attributes_come_along():
    attr = torch.randn(GRID.size(1), F)
    conv = GINEConv(nn.Linear(F, 3))
    learner = learner_of(conv, prior={'edge_attr': attr})
    x = features()
    got = predict_batches(learner, x, BATCHES)
    assert torch.allclose(got, learner.predict(x), atol=1e-5)


@pytest.mark.parametrize(
    'pairs', [AllPairs(N), ClusterPairs(torch.arange(N) // 36)]
)
def test_dense_pairs_with_the_same_noise(pairs):
    seed_everything(0)
    edges = GRID
    if isinstance(pairs, ClusterPairs):
        edges = GRID[:, pairs.joins(GRID)]
    prior = SmoothedPrior(edges, N, pairs=pairs)
    learner = VariationalGraphLearner(GCN(F, 8, 2, 3), prior)
    x, noise = features(), learner.noise(3)
    got = predict_batches(learner, x, BATCHES, noise=noise)
    assert torch.allclose(got, learner.predict(x, noise=noise), atol=1e-5)


@pytest.mark.parametrize('dtype', [torch.double, torch.bfloat16])
def test_other_precisions(dtype):
    learner, x = learner_of(GraphSAGE(F, 8, 2, 3)), features()
    learner, x = learner.to(dtype), x.to(dtype)
    expected = learner.predict(x)
    got = predict_batches(learner, x, BATCHES)
    assert got.dtype == expected.dtype
    atol = 4 * torch.finfo(dtype).eps
    assert torch.allclose(got, expected, atol=atol)


def test_mean_and_variance():
    learner = learner_of(GCN(F, 8, 2, 2), likelihood=Gaussian(2))
    x = features()
    mean, variance = predict_batches(learner, x, BATCHES)
    expected = learner.predict(x)
    assert torch.allclose(mean, expected.mean, atol=1e-5)
    assert torch.allclose(variance, expected.variance, atol=1e-5)


def test_a_file_has_the_same_rows(tmp_path):
    learner, x = learner_of(GCN(F, 8, 2, 3)), features()
    path = tmp_path / 'prob.npy'
    predict_batches(learner, x.to_sparse(), BATCHES, out=path)
    assert np.allclose(np.load(path), learner.predict(x), atol=1e-5)


class Counts(nn.Module):
    """How many nodes a network was called with."""

    def __init__(self, net):
        super().__init__()
        self.net, self.sizes = net, []

    def forward(self, x, edge_index, edge_weight=None):
        self.sizes.append(x.size(0))
        return self.net(x, edge_index, edge_weight)


def long_grid():
    edge_index, _ = grid(100, 4)
    return edge_index[:, edge_index[0] != edge_index[1]]


@pytest.mark.parametrize('layers', [1, 2, 3])
def test_no_more_than_the_border_is_loaded(layers):
    edge_index, n = long_grid(), 400
    counts = Counts(GCN(F, 8, layers, 3))
    prior = SmoothedPrior(edge_index, n, rho1=0.6)
    learner = VariationalGraphLearner(counts, prior, sampler=PosteriorMean())
    x = torch.randn(n, F)
    expected = learner.predict(x)
    counts.sizes.clear()
    got = predict_batches(learner, x, torch.arange(n).split(100))
    assert torch.allclose(got, expected, atol=1e-5)
    # 25 rows of four nodes, and on two sides one row per layer, and one for
    # the degrees of the last:
    assert max(counts.sizes) <= 100 + 2 * 4 * (layers + 1)


def test_the_border_may_be_limited():
    edge_index, n = long_grid(), 400
    counts = Counts(GCN(F, 8, 2, 3))
    learner = VariationalGraphLearner(counts, SmoothedPrior(edge_index, n))
    learner.predict(torch.randn(n, F), 1)
    counts.sizes.clear()
    x, batches = torch.randn(n, F), torch.arange(n).split(100)
    for num_hops in (0, 1):
        counts.sizes.clear()
        predict_batches(learner, x, batches, 1, num_hops=num_hops)
        assert max(counts.sizes) == 100 + 8 * num_hops
    with pytest.raises((TypeError, ValueError), match="'num_hops'"):
        predict_batches(learner, x, batches, num_hops=-1)
    with pytest.raises((TypeError, ValueError), match="'num_hops'"):
        predict_batches(learner, x, batches, num_hops=1.5)


def test_batches_cost_no_accuracy():
    seed_everything(0)
    density = torch.full((4, 4), 0.002) + 0.02 * torch.eye(4)
    y = torch.arange(4).repeat_interleave(250)
    data = Data(
        x=torch.randn(1000, 16) + torch.eye(16)[y],
        y=y,
        edge_index=stochastic_blockmodel_graph([250] * 4, density),
    )
    data = RandomNodeSplit(num_val=100, num_test=800)(data)
    prior = SmoothedPrior(data.edge_index, 1000, rho1=0.9)
    learner = VariationalGraphLearner(
        GCN(16, 16, 2, 4), prior, FreePosterior(sparse=True)
    )
    clusters = ClusterData(data, 40, log=False)
    loader = ClusterLoader(clusters, batch_size=4, shuffle=True)
    fit_batches(
        learner, data, loader, epochs=20, lr=0.02, progress=False,
        logit_optimizer=SparseAdam,
    )  # fmt: skip
    prob = predict_batches(learner, data.x, [b.n_id for b in loader])
    test = data.test_mask
    whole = learner.predict(data.x)
    right = [(p.argmax(1) == y)[test].float().mean() for p in (prob, whole)]
    assert abs(right[0] - right[1]) < 0.02
