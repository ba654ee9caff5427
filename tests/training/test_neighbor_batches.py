"""Training in batches of PyG's NeighborLoader."""

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import SampledPairWeight
from torch_geometric_vgcn.training import optimizers

pytest.importorskip('torch_sparse', reason='NeighborLoader needs it')
SETTINGS = {'epochs': 8, 'progress': False}


@pytest.fixture
def data():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def learner_of(data, posterior=None, seed=0):
    seed_everything(seed)
    net = GCN(34, 8, 2, 4, dropout=0.5)
    prior = SmoothedPrior(data.edge_index, 34)
    return VariationalGraphLearner(net, prior, posterior)


def loader_of(data, **options):
    options = {'input_nodes': data.train_mask, 'batch_size': 3, **options}
    return NeighborLoader(data, [4, 4], shuffle=True, **options)


@pytest.mark.parametrize(
    'make', [lambda: None, lambda: FreePosterior(sparse=True)]
)
def test_the_loss_counts_the_nodes_that_each_batch_starts_from(
    data, make, same_state
):
    expected = learner_of(data, make())
    # Four training nodes are a batch of three and one of one:
    steps = optimizers(expected, num_labels=4 / 2)
    weight = SampledPairWeight(expected.prior, num_batches=2)
    for batch in loader_of(data):
        expected.zero_grad()
        prior = expected.prior.subset(batch.n_id)
        out = expected(data.x[batch.n_id], num_samples=3, prior=prior)
        seeds = torch.arange(batch.batch_size)
        assert data.train_mask[batch.n_id[seeds]].all()
        bound = expected.objective(
            out, data.y[batch.n_id], seeds, seeds.numel(), weight(prior)
        )
        (-bound.bound * 2 / 4).backward()
        for optimizer in steps:
            optimizer.step()
    learner = learner_of(data, make())
    fit(learner, data, loader_of(data), **{**SETTINGS, 'epochs': 1})
    assert same_state(learner, expected)


def test_it_learns_network_and_graph(data):
    learner = learner_of(data)
    loader = loader_of(data, batch_size=2)
    result = fit(learner, data, loader, epochs=60, progress=False)
    assert result.val_acc > 0.6
    assert (learner.posterior.terms[0].offset != 0).any()


def test_labels_outside_of_the_training_nodes_are_not_used(data):
    learner = learner_of(data)
    loader = loader_of(data, input_nodes=None)  # all nodes
    expected = fit(learner, data, loader, **SETTINGS)
    data.y[~data.train_mask & ~data.val_mask] = -1
    learner = learner_of(data)
    loader = loader_of(data, input_nodes=None)
    assert fit(learner, data, loader, **SETTINGS) == expected


def test_another_loader_is_another_run(data, tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt'}
    fit(learner_of(data), data, loader_of(data), **options, **SETTINGS)
    for loader, message in [
        (loader_of(data, batch_size=1), 'loader.batch_size is 3 there, 1'),
        (loader_of(data, input_nodes=None), 'loader.input_nodes is'),
        (None, 'batches is NeighborBatches there, WholeGraph here'),
    ]:
        with pytest.raises(ValueError, match=message):
            fit(learner_of(data), data, loader, **options, **SETTINGS)


def test_loaders_that_miss_labels_are_refused(data):
    learner = learner_of(data)
    others = data.val_mask.nonzero().view(-1)
    for loader in (
        loader_of(data, input_nodes=others),
        loader_of(data, drop_last=True),
    ):
        with pytest.raises(ValueError, match="'loader' must start from each"):
            fit(learner, data, loader, **SETTINGS)
    smaller = Data(data.x[:30], data.edge_index[:, :0], num_nodes=30)
    loader = NeighborLoader(smaller, [4], batch_size=2)
    with pytest.raises(ValueError, match='same nodes, got 34, 34 and 30'):
        fit(learner, data, loader, **SETTINGS)
    model = FixedGraph(GCN(34, 8, 2, 4), data.edge_index)
    with pytest.raises(TypeError, match="'learner' must be .*got FixedGraph"):
        fit(model, data, loader_of(data), **SETTINGS)
