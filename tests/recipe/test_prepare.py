"""Bad data get one sentence, before anything is trained."""

import pytest
import torch
from torch_geometric.data import HeteroData

from torch_geometric_vgcn import VGCN


def other(**attributes):
    def change(data):
        for name, value in attributes.items():
            data[name] = value(data) if callable(value) else value
        return data

    return change


BAD = {
    'no x': (other(x=None), "'x'"),
    'NaN': (other(x=lambda d: d.x * float('nan')), "'data.x'"),
    'no columns': (other(x=torch.zeros(60, 0)), "'data.x'"),
    'x of other nodes': (other(x=torch.rand(59, 2)), "'data"),
    'no y': (other(y=None), "'data.y'"),
    'float y': (other(y=torch.rand(60)), "'data.y'"),
    'short y': (other(y=torch.zeros(59).long()), "'data.y'"),
    'no label': (
        other(y=-torch.ones(60).long(), train_mask=None, val_mask=None),
        "'data.y'",
    ),
    'one class': (other(y=torch.zeros(60).long()), "'data.y'"),
    'unknown in training': (
        other(y=lambda d: d.y.where(d.y > 0, -1)),
        "'data.train_mask'",
    ),
    'empty training': (
        other(train_mask=torch.zeros(60).bool()),
        "'data.train_mask'",
    ),
    'empty validation': (
        other(val_mask=torch.zeros(60).bool()),
        "'data.val_mask'",
    ),
    'overlapping masks': (
        other(val_mask=lambda d: d.train_mask),
        "'data.val_mask'",
    ),
    'empty graph': (
        other(edge_index=torch.zeros(2, 0).long()),
        "'data.edge_index'",
    ),
    'loops only': (
        other(edge_index=torch.tensor([[1], [1]])),
        "'data.edge_index'",
    ),
    'graph of other nodes': (
        other(edge_index=torch.tensor([[1], [60]])),
        "'data",
    ),
    'transposed graph': (
        other(edge_index=lambda d: d.edge_index.t()),
        "'data.edge_index'",
    ),
    'HeteroData': (lambda data: HeteroData(), "'data'"),
    'not data': (lambda data: data.x, "'data'"),
}


@pytest.mark.parametrize('name', BAD)
def test_bad_data_are_named(blocks, name):
    change, match = BAD[name]
    with pytest.raises((TypeError, ValueError), match=match):
        VGCN(change(blocks))


def test_columns_of_labels_and_indices_as_masks_will_do(blocks, model_of):
    want = model_of(blocks).task
    blocks.y = blocks.y.view(-1, 1)
    blocks.train_mask = blocks.train_mask.nonzero().view(-1)
    have = model_of(blocks).task
    assert have.y.equal(want.y)
    assert have.train.equal(want.train)


def test_loops_and_directions_do_not_matter(blocks, model_of):
    want = model_of(blocks).task
    loop = torch.tensor([[5], [5]])
    upper = blocks.edge_index[:, blocks.edge_index[0] < blocks.edge_index[1]]
    blocks.edge_index = torch.cat([upper, loop], dim=1)
    assert model_of(blocks).task.edge_index.equal(want.edge_index)
