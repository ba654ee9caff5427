"""Bad data get one sentence, before anything is trained."""

import pytest
import torch
from pandas import DataFrame
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
    'x of NumPy': (other(x=lambda d: d.x.numpy()), "'data.x'.*ndarray"),
    'no y': (other(y=None), "'data.y'"),
    'float y': (other(y=torch.rand(60)), r"'data.y'.*float32.*y\.long"),
    'one-hot y': (
        other(y=torch.eye(3).repeat(20, 1).long()),
        r"'data.y'.*\[60\].*\[60, 3\]",
    ),
    'huge classes': (
        other(y=lambda d: d.y * 10**12),
        "'data.y'.*60 nodes.*2000000000000.*return_inverse",
    ),
    'unknown in training': (
        other(y=lambda d: d.y.where(d.y > 0, -1)),
        "'data.train_mask'.*at least 0.*-1",
    ),
    'unknown in validation': (
        other(y=lambda d: d.y.masked_fill(d.val_mask, -7)),
        "'data.val_mask'.*at least 0.*-7",
    ),
    'ten splits': (
        other(val_mask=torch.ones(60, 10).bool()),
        r"'data.val_mask'.*10.*choose one column, data.val_mask\[:, 0\]",
    ),
    'ten unused splits': (
        other(train_mask=None, test_mask=torch.ones(60, 10).bool()),
        r"'data.test_mask'.*choose one column",
    ),
    'overlapping masks': (
        other(val_mask=lambda d: d.train_mask),
        "'data.val_mask'",
    ),
    'weighted graph': (
        other(edge_weight=lambda d: torch.rand(d.num_edges)),
        "'data.edge_weight'.*ones.*zeros",
    ),
    'HeteroData': (lambda data: HeteroData(), "'data'.*HeteroData"),
    'a table': (
        lambda data: DataFrame(data.x.numpy()),
        r"'data'.*Data\(x=.*DataFrame",
    ),
}


@pytest.mark.parametrize('name', BAD)
def test_bad_data_are_named(blocks, name):
    change, match = BAD[name]
    with pytest.raises((TypeError, ValueError), match=match) as error:
        VGCN(change(blocks))
    told = str(error.value)
    assert '\n' not in told and '. ' not in told  # one sentence


def test_a_class_without_labels_has_a_column(blocks, model_of):
    """Of classes 0, 2 and 5 there are labels, of the others none."""
    blocks.y = torch.tensor([0, 2, 5])[blocks.y]
    model = model_of(blocks).fit()
    assert list(model.predict().shape) == [60, 6]
    assert set(model.predict()[:, [0, 2, 5]].argmax(dim=1).tolist()) > {0}


NONE = {
    'empty': torch.empty(2, 0, dtype=torch.long),
    'loops': torch.tensor([[1, 5], [1, 5]]),
    'sparse': torch.sparse_coo_tensor(size=(60, 60)),
}


@pytest.mark.parametrize('name', NONE)
def test_a_graph_without_edges_is_no_graph(blocks, model_of, name):
    blocks.edge_index = None
    want = model_of(blocks, members=None)
    blocks.edge_index = NONE[name]
    have = model_of(blocks, members=None)
    assert repr(have) == repr(want)
    assert have.task.edge_index is None
    del blocks.edge_index
    assert model_of(blocks, graph=NONE[name]).task.edge_index is None


def test_columns_indices_loops_and_directions_will_do(blocks, model_of):
    want = model_of(blocks).task
    blocks.y = blocks.y.view(-1, 1)
    blocks.train_mask = blocks.train_mask.nonzero().view(-1)
    loop = torch.tensor([[5], [5]])
    upper = blocks.edge_index[:, blocks.edge_index[0] < blocks.edge_index[1]]
    blocks.edge_index = torch.cat([upper, loop], dim=1)
    have = model_of(blocks).task
    assert have.y.equal(want.y)
    assert have.train.equal(want.train)
    assert have.edge_index.equal(want.edge_index)
