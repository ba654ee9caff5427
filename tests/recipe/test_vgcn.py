"""The one call."""

import random
import sys

import numpy as np
import pytest
import torch

import torch_geometric_vgcn.recipe as recipe
from torch_geometric_vgcn import evaluate


def test_predictions_are_probabilities(fitted):
    prob = fitted.predict()
    assert list(prob.shape) == [60, 3]
    torch.testing.assert_close(prob.sum(dim=1), torch.ones(60))
    assert sum(fitted.weights_.values()) == pytest.approx(1)


def test_it_learns(blocks, model_of):
    prob = model_of(blocks, effort='quick').fit().predict()
    accuracy, _ = evaluate(prob, blocks.y, blocks.test_mask)
    assert accuracy > 0.8


def test_members_with_a_weight_are_trained_again(fitted):
    for name, runs in fitted.learners_.items():
        assert len(runs) == 2 or fitted.weights_[name] == 0
        if len(runs) == 2:
            one, two = runs
            assert not one.conv.out.weight.equal(two.conv.out.weight)


def test_the_same_seed_gives_the_same(fitted, blocks, model_of):
    again = model_of(blocks).fit()
    assert again.predict().equal(fitted.predict())
    assert again.weights_ == fitted.weights_
    other = model_of(blocks, seed=1).fit()
    assert not other.predict().equal(fitted.predict())


def test_the_order_of_members_does_not_matter(fitted, blocks, model_of):
    order = list(reversed(fitted.members))
    again = model_of(blocks, members=order).fit()
    torch.testing.assert_close(again.predict(), fitted.predict())
    assert again.weights_ == pytest.approx(fitted.weights_)


def test_global_random_states_and_data_stay(blocks, model_of):
    before = random.getstate(), np.random.get_state()[1], torch.get_rng_state()
    copy = blocks.clone()
    model_of(blocks).fit()
    assert random.getstate() == before[0]
    assert (np.random.get_state()[1] == before[1]).all()
    assert torch.get_rng_state().equal(before[2])
    assert blocks.keys() == copy.keys()
    assert all(blocks[key].equal(copy[key]) for key in copy.keys())


def test_no_other_label_is_looked_at(fitted, blocks, model_of):
    blocks.y[blocks.test_mask] = -1
    assert model_of(blocks).fit().predict().equal(fitted.predict())


@pytest.mark.parametrize('masks', [['train_mask'], []])
def test_without_validation_nodes_labels_are_held_out(blocks, model_of, masks):
    for name in {'train_mask', 'val_mask'} - set(masks):
        del blocks[name]
    model = model_of(blocks).fit()
    board = model.leaderboard()
    assert board.nll.between(0, 3).all()
    assert board.accuracy.max() > 0.4
    assert all(len(runs) == 1 for runs in model.learners_.values())
    assert list(model.predict().shape) == [60, 3]


def test_one_label_for_each_class_is_enough(blocks, model_of):
    blocks.train_mask = torch.arange(3)
    blocks.val_mask = None
    model = model_of(blocks).fit()
    assert model.weights_ == pytest.approx(
        dict.fromkeys(model.weights_, 1 / 3)
    )
    assert bool(model.predict().isfinite().all())


def test_a_class_may_be_missing_in_validation(blocks, model_of):
    blocks.val_mask &= blocks.y != 2
    assert list(model_of(blocks).fit().predict().shape) == [60, 3]


def test_counts_without_a_graph(blocks, model_of):
    blocks.x = (blocks.x > 1).long() * 2
    blocks.edge_index = None
    model = model_of(blocks).fit()
    assert 'Counts(' in repr(model)
    graph = model.learned_graph(0.0)
    assert graph.num_edges > 0


def test_the_leaderboard_has_all_members(fitted):
    board = fitted.leaderboard()
    assert set(board.member) == {'no graph', 'near', 'given'}
    assert board.weight.is_monotonic_decreasing
    assert (board.seconds > 0).all()
    assert (board.weight_se >= 0).all()


def test_tables_need_no_pandas(fitted, monkeypatch):
    frames = fitted.leaderboard(), fitted.edges()
    monkeypatch.setitem(sys.modules, 'pandas', None)
    rows = fitted.leaderboard(), fitted.edges()
    for frame, listed in zip(frames, rows, strict=True):
        assert listed == frame.to_dict('records')


def test_what_is_printed_can_be_pasted_back(fitted, blocks, capsys):
    names = {**vars(recipe), 'data': blocks}
    again = eval(repr(fitted), names)  # as a user does
    assert again.fit().predict().equal(fitted.predict())


def test_it_is_silent_unless_verbose(blocks, model_of, capsys):
    model_of(blocks).fit()
    assert capsys.readouterr() == ('', '')
    model_of(blocks, verbose=True).fit()
    out = capsys.readouterr().out
    assert all(name in out for name in ('no graph', 'near', 'given', 'nll'))


def test_fit_comes_first(blocks, model_of):
    model = model_of(blocks)
    for call in (model.predict, model.edges, model.leaderboard):
        with pytest.raises(RuntimeError, match='fit()'):
            call()


@pytest.mark.parametrize(
    ('option', 'name'),
    [
        ({'effort': 'much'}, 'effort'),
        ({'effort': 3}, 'effort'),
        ({'seed': 0.5}, 'seed'),
        ({'network': 3}, 'network'),
        ({'features': 'counts'}, 'features'),
        ({'verbose': 1}, 'verbose'),
        ({'progress': 'no'}, 'progress'),
    ],
)
def test_bad_options_are_named(blocks, model_of, option, name):
    with pytest.raises((TypeError, ValueError), match=f"'{name}'"):
        model_of(blocks, **option)
