"""How members are trained."""

import torch

from torch_geometric_vgcn.recipe import Effort
from torch_geometric_vgcn.recipe.prepare import prepare
from torch_geometric_vgcn.recipe.run import held_out_prob, mean_prob, train

EFFORT = Effort(epochs=12, patience=12, warmup=4, num_samples=2)


def test_validation_nodes_are_held_out(blocks, fitted):
    task = prepare(blocks)
    trained = train(fitted.members[1], task, [], task.val, EFFORT, seed=0)
    assert trained.held.equal(trained.prob[task.val])


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
    assert two.held.equal(one.held)
    assert not two.prob.equal(one.prob)  # in the end, all are used


def test_what_told_when_to_stop_does_not_judge(blocks, fitted):
    task = prepare(blocks)
    half = task.val[::2], task.val[1::2]
    one, two = (
        train(fitted.members[1], task, [], stop, EFFORT, 0, number)
        for number, stop in enumerate(half)
    )
    both = held_out_prob([one, two])
    torch.testing.assert_close(both[::2], two.prob[half[0]])
    torch.testing.assert_close(both[1::2], one.prob[half[1]])
    torch.testing.assert_close(held_out_prob([one]), one.prob[task.val])


def test_runs_are_averaged(blocks, fitted):
    task = prepare(blocks)
    a, b, c = (
        train(fitted.members[1], task, [], task.val, EFFORT, 0, number)
        for number in range(3)
    )
    assert not a.prob.equal(b.prob)
    torch.testing.assert_close(
        mean_prob([a, b, c]), (a.prob + b.prob + c.prob) / 3
    )


def test_the_seed_is_that_of_the_name(blocks, fitted):
    task = prepare(blocks)
    torch.manual_seed(5)
    one = train(fitted.members[1], task, [], task.val, EFFORT, seed=3)
    torch.manual_seed(6)
    two = train(fitted.members[1], task, [], task.val, EFFORT, seed=3)
    assert one.prob.equal(two.prob)
