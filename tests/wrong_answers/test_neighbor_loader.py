"""Batches of PyG's NeighborLoader, with the prior of their nodes."""

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import GCN
from torch_geometric.utils import grid

from torch_geometric_vgcn import (
    ELBO,
    FreePosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import BernoulliKL
from torch_geometric_vgcn.sample import PosteriorMean

pytest.importorskip('torch_sparse', reason='NeighborLoader needs it')

HOW = r'learner\.prior\.subset\(n_id\)'


@pytest.fixture
def data():
    seed_everything(0)
    edge_index, place = grid(10, 10)
    edge_index = edge_index[:, edge_index[0] != edge_index[1]]
    x = torch.randn(100, 4)
    return Data(x=x, y=(place[:, 0] > 4).long(), edge_index=edge_index)


@pytest.fixture
def learner(data):
    prior = SmoothedPrior(data.edge_index, 100, rho1=0.9)
    net = GCN(4, 8, 2, 2)
    return VariationalGraphLearner(
        net, prior, FreePosterior(), PosteriorMean(), ELBO(BernoulliKL())
    )


def loader_of(data, num_neighbors=(-1, -1, -1)):
    return NeighborLoader(data, list(num_neighbors), batch_size=5)


def test_the_error_says_how_a_batch_is_used(data, learner):
    batch = next(iter(loader_of(data)))
    with pytest.raises(ValueError, match=f"'edge_index' .*{HOW}"):
        learner(batch.x, batch.edge_index)
    with pytest.raises(ValueError, match=f"'x' .*{HOW}"):
        learner(batch.x)
    with pytest.raises(ValueError, match=f"'x' .*{HOW}"):
        learner.predict(batch.x)


def test_what_the_error_says_works(data, learner):
    expected = learner(data.x)
    for batch in loader_of(data):
        n_id = batch.n_id
        out = learner(batch.x, prior=learner.prior.subset(n_id))
        own = batch.batch_size
        assert torch.allclose(out[:own], expected[n_id[:own]], atol=1e-5)


def test_the_edges_of_a_batch_are_not_its_graph(data, learner):
    # Of the edges among the nodes of a batch, the loader has a part.
    batch = next(iter(loader_of(data, (3, 2))))
    prior = learner.prior.subset(batch.n_id)
    with pytest.raises(ValueError, match="without 'edge_index'"):
        learner(batch.x, batch.edge_index, prior=prior)
    shared = SharedGraph(GCN(2, 2, 1), learner)
    out = learner(batch.x, prior=prior)
    with pytest.raises(ValueError, match="without 'edge_index'"):
        shared(out, batch.edge_index)
    assert shared(out).shape == (batch.num_nodes, 2)


def test_training_in_such_batches(data, learner):
    optimizer = torch.optim.Adam(learner.parameters(), 0.02)
    losses = []
    for _ in range(15):
        total = 0.0
        for batch in loader_of(data, (4, 4)):
            optimizer.zero_grad()
            out = learner(batch.x, prior=learner.prior.subset(batch.n_id))
            seeds = torch.arange(batch.batch_size)
            loss = learner.objective(out, batch.y, seeds).loss
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total)
    assert losses[-1] < 0.7 * losses[0]
    assert (learner.posterior.offset != 0).any()


def test_another_graph_needs_another_prior(data, learner):
    other = data.edge_index[:, data.edge_index.min(dim=0).values > 9]
    with pytest.raises(ValueError, match='a new prior'):
        learner(data.x, other)
