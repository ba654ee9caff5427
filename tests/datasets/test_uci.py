import sys

import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.preprocessing import scale

from torch_geometric_vgcn.datasets import uci

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
