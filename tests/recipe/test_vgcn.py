"""The one call."""

import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch

import torch_geometric_vgcn.recipe as recipe
from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.recipe import Effort, FixedMember, given_graph

ROOT = Path(__file__).parent.parent.parent


def test_predictions_are_probabilities(fitted):
    prob = fitted.predict()
    assert list(prob.shape) == [60, 3]
    torch.testing.assert_close(prob.sum(dim=1), torch.ones(60))
    assert sum(fitted.weights_.values()) == pytest.approx(1)


def test_it_learns(blocks, model_of):
    prob = model_of(blocks, effort='quick').fit().predict()
    accuracy, _ = evaluate(prob, blocks.y, blocks.test_mask)
    assert accuracy > 0.8


def test_the_same_seed_gives_the_same(fitted, blocks, model_of):
    again = model_of(blocks).fit()
    assert again.predict().equal(fitted.predict())
    assert again.weights_ == fitted.weights_
    pasted = eval(repr(fitted), {**vars(recipe), 'data': blocks})
    other = pasted.fit()  # as a user does
    assert other.predict().equal(fitted.predict())
    other = model_of(blocks, seed=1).fit()
    assert not other.predict().equal(fitted.predict())
    for name, runs in fitted.learners_.items():  # twice, with a weight
        assert len(runs) == 2 or fitted.weights_[name] == 0


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


def test_time_may_be_limited(fitted, blocks, model_of):
    """Of four members the first two are trained, as in any case."""
    members = [*fitted.members, FixedMember('last', given_graph)]
    options = {'members': members, 'time_limit': 1e-9}
    with pytest.warns(UserWarning, match="'time_limit'.*: given, last"):
        model = model_of(blocks, **options).fit()
    assert {k: len(v) for k, v in model.learners_.items()} == {
        'no graph': 1,
        'near': 1,
    }
    board = model.leaderboard()
    assert list(board.member[2:]) == ['given', 'last']
    assert (board.weight[2:] == 0).all()
    assert board.nll[2:].isna().all() and board.nll[:2].notna().all()
    assert model.weights_['last'] == 0
    assert len(model.edges()) > 0
    assert 'time_limit=1e-09,' in repr(model)


def test_the_leaderboard_is_printed_if_verbose(blocks, model_of, capsys):
    model_of(blocks, verbose=True).fit()
    out = capsys.readouterr().out
    assert all(name in out for name in ('no graph', 'near', 'given', 'nll'))


@pytest.mark.parametrize(
    ('kind', 'alone'), [('counts', True), ('measurements', False)]
)
def test_nothing_warns(kind, alone):
    """In a new process, as some warnings come once only. NetworkX, which takes
    a while, is imported where one of its graphs comes in, not here.
    """
    code = f"""
import sys, warnings
import torch, torch_geometric_vgcn as vgcn
from torch_geometric.data import Data
from torch_geometric_vgcn.recipe import Effort, FixedMember, no_graph

warnings.simplefilter('error')
y = torch.arange(90) % 3
x = torch.nn.functional.one_hot(y, 30) + (torch.rand(90, 30) < 0.05)
x = x.float() if {kind == 'counts'} else x + torch.randn(90, 30)
graph = torch.stack([torch.arange(87), torch.arange(3, 90)])
data = Data(x=x, y=y, edge_index=graph)
data.train_mask = torch.arange(90) < 30
data.val_mask = ~data.train_mask
members = [FixedMember('no graph', no_graph)] if {alone} else None
few = Effort(2, 2, warmup=1, num_samples=2)
model = vgcn.VGCN(data, members=members, effort=few, progress=False).fit()
model.predict(), model.edges(), model.leaderboard(), model.learned_graph()
model.save('model.pt'), vgcn.VGCN.load('model.pt', data, members=members)
model.report()
assert 'networkx' not in sys.modules
"""
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, '-W', 'error::UserWarning', '-c', code],
            cwd=folder,
            env=os.environ | {'PYTHONPATH': str(ROOT)},
            capture_output=True,
            text=True,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')


def test_all_labels_are_used_unless_validation_is_kept_apart(blocks, model_of):
    val, sure = blocks.val_mask.nonzero().view(-1), []
    for train_on_val in (False, True):
        model = model_of(blocks, train_on_val=train_on_val)
        told = '    train_on_val=False,\n' in repr(model)
        assert told != train_on_val
        assert model.fit().held_out_.equal(val)
        assert model.held_out_prob_.shape == (val.numel(), 3)
        prob = model.predict()[val]
        sure.append(prob.gather(1, blocks.y[val].view(-1, 1)).mean())
    assert sure[0] < sure[1]


def test_a_quick_model_is_judged_by_the_half_that_it_has_not_seen(
    blocks, model_of
):
    quick = Effort(12, 12, warmup=4, folds=2, runs=1, num_samples=2)
    model = model_of(blocks, effort=quick).fit()
    assert 2 * model.held_out_.numel() == int(blocks.val_mask.sum())
    assert bool(blocks.val_mask[model.held_out_].all())


def test_fit_comes_first(blocks, model_of):
    model = model_of(blocks)
    for call in (model.predict, model.edges, model.leaderboard, model.report):
        with pytest.raises(RuntimeError, match='fit()'):
            call()


@pytest.mark.parametrize(
    ('option', 'name'),
    [
        ({'effort': 'much'}, 'effort'),
        ({'effort': 3}, 'effort'),
        ({'seed': 0.5}, 'seed'),
        ({'features': 'counts'}, 'features'),
        ({'time_limit': 0}, 'time_limit'),
    ],
)
def test_bad_options_are_named(blocks, model_of, option, name):
    with pytest.raises((TypeError, ValueError), match=f"'{name}'"):
        model_of(blocks, **option)
