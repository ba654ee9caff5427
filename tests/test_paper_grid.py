import itertools

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.transforms import KNNGraph

BETA = (1e-4, 1e-3, 1e-2, 1.0)


@pytest.fixture(scope='module')
def piece(citeseer):
    return KNNGraph(k=10)(citeseer.subgraph(torch.arange(200)))


def train(learner, data):
    optimizer = torch.optim.Adam(learner.parameters(), lr=0.05)
    for _ in range(10):
        optimizer.zero_grad()
        out = learner(data.x, num_samples=3)
        loss = learner.objective(out, data.y, data.train_mask).loss
        loss.backward()
        optimizer.step()
        assert loss.isfinite()
    for parameter in learner.parameters():
        assert parameter.isfinite().all()


@pytest.mark.parametrize('pairs', [AllPairs(200), None], ids=['all', 'knn'])
@pytest.mark.parametrize(
    'tau, tau_prior, beta',
    list(itertools.product((0.1, 0.5, 0.66), (0.1, 0.5), BETA)),
)
def test_relaxed(piece, pairs, tau, tau_prior, beta):
    learner = VariationalGraphLearner(
        GCN(piece.num_features, 16, 2, 6, dropout=0.5),
        SmoothedPrior(piece.edge_index, 200, rho1=0.99, pairs=pairs),
        sampler=BinaryConcrete(tau),
        objective=IWELBO(LogisticKL(tau_prior), beta),
    )
    train(learner, piece)


@pytest.mark.parametrize('pairs', [AllPairs(200), None], ids=['all', 'knn'])
@pytest.mark.parametrize('beta', BETA)
def test_discrete(piece, pairs, beta):
    learner = VariationalGraphLearner(
        GCN(piece.num_features, 16, 2, 6, dropout=0.5),
        SmoothedPrior(piece.edge_index, 200, rho1=0.99, pairs=pairs),
        sampler=Bernoulli(),
        objective=ELBO(BernoulliKL(), beta),
    )
    train(learner, piece)
