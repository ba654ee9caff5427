import sys

import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.preprocessing import scale
from torch_geometric.transforms import Compose

from torch_geometric_vgcn.datasets import uci
from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph

SIZES = {
    'Wine': [178, 13, 3, 10, 20, 148],
    'BreastCancer': [569, 30, 2, 10, 20, 539],
    'Digits': [1797, 64, 10, 50, 100, 1647],
}


@pytest.mark.parametrize('name', SIZES)
def test_sizes_are_those_of_the_lds_paper(name):
    dataset = uci(name)
    data = dataset[0]
    masks = data.train_mask, data.val_mask, data.test_mask
    sizes = [data.num_nodes, data.num_features, dataset.num_classes]
    assert sizes + [int(m.sum()) for m in masks] == SIZES[name]
    assert torch.equal(sum(m.long() for m in masks), torch.ones(len(data.y)))


def test_features_are_standardised():
    expected = torch.from_numpy(scale(load_digits().data)).float()
    assert torch.allclose(uci('Digits')[0].x, expected, atol=1e-6)


def test_each_class_is_represented():
    data = uci('Digits')[0]
    assert (data.y[data.train_mask].bincount() == 5).all()
    assert (data.y[data.val_mask].bincount() == 10).all()


def test_the_seed_decides_the_split():
    first, again, other = uci('Wine'), uci('Wine'), uci('Wine', seed=1)
    assert torch.equal(first[0].train_mask, again[0].train_mask)
    assert not torch.equal(first[0].train_mask, other[0].train_mask)


def test_transforms_make_its_graph():
    data = uci('Wine', Compose([KNNGraph(5), HalfValidation()]))[0]
    assert data.num_edges >= 5 * 178
    assert int(data.train_mask.sum()) == 20


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="'Digits'.*got 'Iris'"):
        uci('Iris')


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sklearn.datasets', None)
    with pytest.raises(ImportError, match=r'torch_geometric_vgcn\[data\]'):
        uci('Wine')


def test_features_as_they_are():
    x = uci('Digits', standardize=False)[0].x
    assert x.min() == 0 and x.max() == 16
    assert uci('Digits')[0].x.min() < 0
    with pytest.raises(TypeError, match="'standardize'"):
        uci('Digits', standardize='yes')
