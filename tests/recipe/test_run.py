"""How members are trained."""

import pytest
import torch

from torch_geometric_vgcn.recipe import Effort, FixedMember, no_graph
from torch_geometric_vgcn.recipe.run import (
    held_out_of,
    held_out_prob,
    mean_prob,
    train,
)
from torch_geometric_vgcn.recipe.task import prepare

EFFORT = Effort(epochs=12, patience=12, warmup=4, num_samples=2)


def test_each_part_is_predicted_without_its_labels(blocks, fitted):
    """After one epoch, so that they don't choose when to stop either."""
    blocks.val_mask = None
    task = prepare(blocks)
    half = task.train[::2], task.train[1::2]
    once = Effort(epochs=1, patience=1, warmup=0, num_samples=2)
    member = fitted.members[1]
    one = train(member, task, [half], half[1], once, seed=0)
    blocks.y[half[1]] = blocks.y[half[1]].flip(0)
    other = prepare(blocks)
    assert not other.y.equal(task.y)
    two = train(member, other, [half], half[1], once, seed=0)
    assert two.held_out_prob.equal(one.held_out_prob)
    assert not two.prob.equal(one.prob)  # in the end, all are used


class Seen(FixedMember):
    """Notes which labels it is trained with, and stopped by."""

    def __init__(self):
        super().__init__('seen', no_graph)
        self.train, self.val = [], []

    def fit(self, learner, x, task, *args):
        self.train.append(set(task.train.tolist()))
        self.val.append(set(task.val.tolist()))
        return super().fit(learner, x, task, *args)


@pytest.mark.parametrize('train_on_val', [True, False])
def test_no_run_is_judged_by_what_it_was_trained_with(blocks, train_on_val):
    task, member = prepare(blocks), Seen()
    train_nodes, val = set(task.train.tolist()), set(task.val.tolist())
    halves = task.val[::2], task.val[1::2]
    for number, stop in enumerate(halves):
        run = train(member, task, [], stop, EFFORT, 0, number, train_on_val)
        judges = set(run.held_out.tolist())
        assert member.val[-1] == set(stop.tolist())
        assert not judges & member.train[-1]
        if train_on_val:
            assert member.train[-1] == train_nodes | val - judges
            assert judges == member.val[-1]
        else:
            assert member.train[-1] == train_nodes
            assert judges == val - member.val[-1]


def test_held_out_probabilities_are_of_the_runs_that_they_judge(
    blocks, fitted
):
    task = prepare(blocks)
    halves = task.val[::2], task.val[1::2]
    one, two = (
        train(fitted.members[1], task, [], stop, EFFORT, 0, number)
        for number, stop in enumerate(halves)
    )
    assert held_out_of([[one, two]]).equal(task.val)
    assert held_out_of([[one, two], [two]]).equal(halves[1])
    both = held_out_prob([one, two], task.val)
    torch.testing.assert_close(both[::2], one.prob[halves[0]])
    torch.testing.assert_close(both[1::2], two.prob[halves[1]])
    again = held_out_prob([one, two, one], halves[0])
    torch.testing.assert_close(again, one.prob[halves[0]])


def test_runs_are_averaged(blocks, fitted):
    task = prepare(blocks)
    a, b, c = (
        train(fitted.members[1], task, [], task.val, EFFORT, 0, number)
        for number in range(3)
    )
    assert not a.prob.equal(b.prob)
    again = train(fitted.members[1], task, [], task.val, EFFORT, 0, 1)
    assert again.prob.equal(b.prob)
    assert b.held_out.equal(task.val)
    torch.testing.assert_close(
        mean_prob([a, b, c]), (a.prob + b.prob + c.prob) / 3
    )
