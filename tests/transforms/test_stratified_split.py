import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import StratifiedSplit


def sizes(data):
    masks = data.train_mask, data.val_mask, data.test_mask
    return [int(mask.sum()) for mask in masks]


def test_polblogs_is_split_as_in_the_literature(blogs):
    out = StratifiedSplit(0.1, 0.1)(blogs)
    assert sizes(out) == [122, 122, 978]
    # 586 of the 1,222 blogs are of class 0:
    assert out.y[out.train_mask].bincount().tolist() == [59, 63]
    assert out.y[out.val_mask].bincount().tolist() == [58, 64]


def test_polblogs_is_split_as_in_the_paper(blogs):
    assert sizes(StratifiedSplit(122, 275)(blogs)) == [122, 275, 825]


@given(
    sizes=st.lists(st.integers(5, 30), min_size=2, max_size=5),
    shares=st.tuples(*[st.floats(0, 1)] * 3),
    seed=st.integers(0, 100),
)
def test_each_class_is_represented_as_in_the_whole(sizes, shares, seed):
    total = sum(sizes)
    least = -(-total // min(sizes))  # so that each class is in training
    train = max(least, round(shares[0] * total))
    val = round(shares[1] * (total - train))
    test = round(shares[2] * (total - train - val))
    classes = torch.arange(len(sizes))
    y = classes.repeat_interleave(torch.tensor(sizes))
    y = y[torch.randperm(total)]
    data = Data(y=y, num_nodes=total)
    out = StratifiedSplit(train, val, test, seed)(data)
    masks = torch.stack([out.train_mask, out.val_mask, out.test_mask])
    assert masks.sum(dim=1).tolist() == [train, val, test]
    assert int(masks.sum(dim=0).max()) <= 1
    count = y[out.train_mask].bincount(minlength=len(sizes))
    exact = torch.tensor(sizes) * train / total
    assert ((count - exact).abs() < 1).all()


def test_the_rest_is_for_testing():
    y = torch.tensor([0, 0, 0, 1, 1, 1, -1, -1])
    out = StratifiedSplit(2, 2)(Data(y=y, num_nodes=8))
    assert sizes(out) == [2, 2, 2]
    assert not (out.train_mask | out.val_mask | out.test_mask)[6:].any()


def test_a_class_of_too_few_nodes_is_refused():
    data = Data(y=torch.tensor([0] * 18 + [1] * 2), num_nodes=20)
    with pytest.raises(ValueError, match=r'got 2, .*class 1 \(2 of 20'):
        StratifiedSplit(0.1, 0.1)(data)


def test_more_nodes_than_there_are_are_refused():
    data = Data(y=torch.arange(20) % 2, num_nodes=20)
    with pytest.raises(ValueError, match=r'the 20 labelled.*12 \+ 10 \+ 0'):
        StratifiedSplit(12, 0.5)(data)
    with pytest.raises(ValueError, match=r'got 10 \+ 5 \+ 6'):
        StratifiedSplit(10, 5, 6)(data)


def test_a_share_is_at_most_one():
    with pytest.raises(ValueError, match="'num_val' must lie between.*1.5"):
        StratifiedSplit(0.1, 1.5)
    with pytest.raises(ValueError, match="'num_train' must be at least 1"):
        StratifiedSplit(0, 5)
