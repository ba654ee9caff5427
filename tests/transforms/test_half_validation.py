import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from torch_geometric_vgcn.transforms import HalfValidation


@pytest.fixture
def data():
    part = torch.arange(30) // 10
    return Data(
        x=torch.rand(30, 4),
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


def test_half_of_the_validation_nodes_join_the_training_set(data):
    out = HalfValidation()(data)
    assert int(out.val_mask.sum()) == 5
    assert int(out.train_mask.sum()) == 15
    assert not (out.train_mask & out.val_mask).any()
    before = data.train_mask | data.val_mask
    assert torch.equal(out.train_mask | out.val_mask, before)
    assert out.train_mask[data.train_mask].all()
    assert torch.equal(out.test_mask, data.test_mask)


def test_it_composes(data):
    out = Compose([HalfValidation(), HalfValidation()])(data)
    assert int(out.val_mask.sum()) == 3
    assert int(out.train_mask.sum()) == 17


def test_citeseer_is_split_as_in_the_paper(citeseer):
    out = HalfValidation()(citeseer)
    assert int(out.train_mask.sum()) == 120 + 250
    assert int(out.val_mask.sum()) == 250
    assert int(out.test_mask.sum()) == 1000
    assert int(citeseer.val_mask.sum()) == 500


@pytest.mark.parametrize('count', [0, 1])
def test_too_few_validation_nodes_are_refused(data, count):
    data.val_mask = torch.arange(30) < count
    with pytest.raises(ValueError, match=f'at least two nodes, got {count}'):
        HalfValidation()(data)


def test_several_splits_at_once_are_refused(data):
    data.train_mask = data.train_mask.view(-1, 1).expand(-1, 10)
    data.val_mask = data.val_mask.view(-1, 1).expand(-1, 10)
    with pytest.raises(ValueError, match="'data.val_mask'"):
        HalfValidation()(data)
