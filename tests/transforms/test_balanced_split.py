import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import BalancedSplit


def test_citeseer_is_split_like_planetoid_but_at_random(citeseer):
    out = BalancedSplit()(citeseer)
    assert (out.y[out.train_mask].bincount() == 20).all()
    assert int(out.val_mask.sum()) == 500
    assert int(out.test_mask.sum()) == 1000
    assert not torch.equal(out.train_mask, citeseer.train_mask)


@given(
    sizes=st.lists(st.integers(3, 9), min_size=2, max_size=5),
    unlabelled=st.integers(0, 4),
    seed=st.integers(0, 100),
)
def test_counts_are_exact(sizes, unlabelled, seed):
    classes = torch.arange(len(sizes))
    y = classes.repeat_interleave(torch.tensor(sizes))
    y = torch.cat([y, y.new_full((unlabelled,), -1)])
    y = y[torch.randperm(y.numel())]
    data = BalancedSplit(2, 1, 1, seed)(Data(y=y, num_nodes=y.numel()))
    assert data.y[data.train_mask].bincount().tolist() == [2] * len(sizes)
    masks = torch.stack([data.train_mask, data.val_mask, data.test_mask])
    assert masks.sum(dim=1).tolist() == [2 * len(sizes), 1, 1]
    assert int(masks.sum(dim=0).max()) == 1
    assert not masks[:, y < 0].any()


def test_a_class_of_too_few_nodes_is_refused():
    data = Data(y=torch.tensor([0, 0, 0, 1, 1, 2, 2, 2]), num_nodes=8)
    with pytest.raises(ValueError, match='got 3, but class 1 has 2 nodes'):
        BalancedSplit(3, 1, 1)(data)
    data.y[data.y == 1] = -1
    with pytest.raises(ValueError, match='class 1 has 0 nodes'):
        BalancedSplit(2, 1, 1)(data)


def test_more_nodes_than_there_are_are_refused():
    data = Data(y=torch.arange(12) % 3, num_nodes=12)
    with pytest.raises(ValueError, match=r'the 6 labelled.*got 4 \+ 3'):
        BalancedSplit(2, 4, 3)(data)


def test_what_holds_no_classes_is_refused():
    with pytest.raises(ValueError, match="'data.y'.*got NoneType"):
        BalancedSplit()(Data(x=torch.rand(3, 2)))
    with pytest.raises(ValueError, match="'data.y'.*got torch.float32"):
        BalancedSplit()(Data(y=torch.rand(3), num_nodes=3))
    with pytest.raises(ValueError, match='at least one node, got none'):
        BalancedSplit()(Data(y=torch.tensor([-1, -1]), num_nodes=2))
