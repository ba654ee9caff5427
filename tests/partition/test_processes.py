r"""The result doesn't depend on the number of processes."""

import pytest
import torch
from processes import CASES, EPOCHS, launch, train, write


@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    r"""The states of one process, of two, and of four that go on from the
    checkpoint of two.
    """
    out = tmp_path_factory.mktemp('runs')
    for name, (dense, _) in CASES.items():
        write(out / name, dense)
    one = {name: train(out, name) for name in CASES}
    return [one], launch(out, 2), launch(out, 4)


@pytest.mark.parametrize('name', CASES)
def test_any_number_of_processes_is_one(runs, name):
    ((one,), *others) = runs
    assert len(one[name]['history']) == EPOCHS
    assert one[name]['history'][-1]['kl'] != 0
    for states in others:
        for state in states:
            for got, want in zip(
                state[name]['history'], one[name]['history'], strict=True
            ):
                assert got == pytest.approx(want, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize('name', CASES)
def test_predictions_and_graph_are_those_of_one(runs, name):
    ((one,), *others) = runs
    want = one[name]
    for states in others:
        for state in states:
            got = state[name]
            assert torch.equal(got['edge_index'], want['edge_index'])
            for key in ('edge_prob', 'prob'):
                assert torch.allclose(got[key], want[key], atol=1e-4)
    assert (one[name]['edge_prob'] != 0.25).any()


def test_only_guests_of_other_processes_travel(runs):
    _, states, _ = runs
    for state in states:
        assert state['dense']['sent'] == state['alone']['sent'] == [0] * 4
        zero, one, two, three = state['guests']['sent']
        # Shard a meets (epoch - a) mod 4, and each process has two:
        assert one == 0 < two and three > 0
    # Shards 1 and 3 meet in epoch 0:
    assert all(state['guests']['sent'][0] > 0 for state in states)
