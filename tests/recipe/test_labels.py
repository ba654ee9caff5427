"""Which labels train and which are held out."""

import pytest
import torch

from torch_geometric_vgcn.recipe.labels import MANY, folds_of, labels_of


def test_without_masks_all_labels_are_for_training(blocks):
    for name in ('train_mask', 'val_mask'):
        del blocks[name]
    hidden = blocks.test_mask.clone()
    blocks.y[:30] = -1
    _, train, val = labels_of(blocks, 60)
    wanted = (blocks.y >= 0) & ~hidden
    assert train.equal(wanted.nonzero().view(-1))
    assert val.numel() == 0


@pytest.mark.parametrize('counts', [(2, 9, 5), (1, 4, 3), (8, 1, 1)])
def test_folds_hold_out_each_label_once(counts):
    y = torch.repeat_interleave(torch.arange(3), torch.tensor(counts))
    nodes = torch.arange(y.numel())
    folds = folds_of(y, nodes, 4, torch.Generator())
    held = torch.cat([held for _, held in folds]).sort().values
    repeated = y.bincount()[y] > 1
    assert held.equal(nodes[repeated])
    for train, held in folds:
        assert train.numel() + held.numel() == nodes.numel()
        assert y[train].unique().numel() == 3


def test_one_label_for_each_class_leaves_none_to_hold_out():
    y = torch.arange(4)
    assert folds_of(y, y, 4, torch.Generator()) == []
    # Of many labels, one part is held out:
    y = torch.arange(MANY) % 3
    assert len(folds_of(y, torch.arange(MANY), 4, torch.Generator())) == 1
