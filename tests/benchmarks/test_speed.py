r"""The speed benchmarks compare equivalent models."""

import torch
from torch_geometric.data import Data

from benchmarks.speed import dense, scale


def test_the_straightforward_model_has_the_same_gradients():
    n = 150
    index = torch.randint(n, (2, 600))
    index = index[:, index[0] != index[1]]
    data = Data(
        x=torch.rand(n, 20),
        edge_index=torch.cat([index, index.flip(0)], 1),
        y=torch.randint(4, (n,)),
        train_mask=torch.arange(n) % 3 == 0,
    )
    data.train = data.train_mask.nonzero().view(-1)
    assert dense.gradients_differ_by(data) < 1e-4


def test_the_block_model_trains():
    row = scale.one(2000)
    assert row['loss falls']
    assert 15 * 2000 < row['pairs'] < 20 * 2000
