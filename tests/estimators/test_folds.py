import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from torch_geometric_vgcn.estimators.folds import MANY, folds


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-1, 3), min_size=2, max_size=60))
def test_each_label_is_held_out_at_most_once(code):
    code = np.array([0, *code])
    parts = folds(code, np.random.RandomState(0))
    held = [row for _, rows in parts for row in rows.tolist()]
    assert len(set(held)) == len(held)
    several = np.bincount(code[code >= 0]) > 1
    assert {code[row] for row in held} == set(np.flatnonzero(several))
    for train, rows in parts:
        train, rows = train.numpy(), rows.numpy()
        assert (code[train] >= 0).all() and (code[rows] >= 0).all()
        # Each class that is known can be learned:
        assert set(code[train]) == set(code[code >= 0])
        assert not set(train.tolist()) & set(rows.tolist())


def test_many_labels_need_one_part():
    code = np.arange(MANY) % 3
    ((train, held),) = folds(code, np.random.RandomState(0))
    assert held.numel() == MANY // 4
    assert train.numel() == MANY - MANY // 4


def test_the_seed_decides():
    code = np.arange(40) % 3
    one, again, other = (
        [rows.tolist() for _, rows in folds(code, np.random.RandomState(s))]
        for s in (0, 0, 1)
    )
    assert one == again != other
