r"""The speed benchmarks compare equivalent models."""

import sys
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

FOLDER = str(Path(__file__).parents[1] / 'benchmarks' / 'speed')


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], '__file__', '').startswith(FOLDER):
            del sys.modules[name]


def test_the_straightforward_model_has_the_same_gradients(speed):
    import dense

    n = 150
    index = torch.randint(n, (2, 600))
    data = Data(
        x=torch.rand(n, 20),
        edge_index=index[:, index[0] != index[1]],
        y=torch.randint(4, (n,)),
        train_mask=torch.arange(n) % 3 == 0,
    )
    data.edge_index = torch.cat([data.edge_index, data.edge_index.flip(0)], 1)
    data.train = data.train_mask.nonzero().view(-1)
    assert dense.gradients_differ_by(data) < 1e-4


def test_the_block_model_trains(speed):
    import scale

    row = scale.one(2000)
    assert row['loss falls']
    assert 15 * 2000 < row['pairs'] < 20 * 2000


def test_a_large_graph_trains_through_the_loader(speed):
    import clusters

    row = clusters.million(20_000)
    assert row['batches'] == 1 and row['pairs'] > 15 * 20_000
    assert row['losses'][-1] < row['losses'][0]
