"""A compiled learner trains as the learner inside does."""

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GAT, GCN

from torch_geometric_vgcn import (
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData

SETTINGS = {'epochs': 2, 'progress': False}


@pytest.fixture
def data():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def made(kind, data, seed=0):
    seed_everything(seed)
    net = kind(34, 8, 2, 4, dropout=0.5)
    if kind is GAT:
        return FixedGraph(net, data.edge_index)
    return VariationalGraphLearner(net, SmoothedPrior(data.edge_index, 34))


def compiled(learner, backend='eager'):
    torch.compiler.reset()
    return torch.compile(learner, backend=backend)


def check_same(learner, other):
    other = other.state_dict()
    for name, value in learner.state_dict().items():
        if isinstance(value, torch.Tensor):
            torch.testing.assert_close(value, other[name])


@pytest.mark.parametrize('kind, backend', [(GCN, 'aot_eager'), (GAT, 'eager')])
def test_it_trains_the_learner_inside(data, kind, backend):
    expected = made(kind, data)
    history = fit(expected, data, **SETTINGS).history
    learner = made(kind, data)
    result = fit(compiled(learner, backend), data, **SETTINGS)
    check_same(learner, expected)
    assert not learner.training
    for got, want in zip(result.history, history, strict=True):
        assert got == pytest.approx(want, rel=1e-4)


def test_in_batches(data):
    clusters = ClusterData(data, 4, log=False)
    results = []
    for change in (lambda learner: learner, compiled):
        loader = ClusterLoader(clusters, batch_size=2, shuffle=True)
        learner = made(GCN, data)
        fit(change(learner), data, loader, **SETTINGS)
        results.append(learner)
    check_same(*results)


def test_checkpoints_are_those_of_the_learner_inside(data, tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'progress': False}
    expected = fit(made(GCN, data), data, epochs=2, progress=False)
    fit(compiled(made(GCN, data)), data, epochs=1, **options)
    result = fit(made(GCN, data, seed=5), data, epochs=2, **options)
    for got, want in zip(result.history, expected.history, strict=True):
        assert got == pytest.approx(want, rel=1e-4)
