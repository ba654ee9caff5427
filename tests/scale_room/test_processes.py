r"""The result doesn't depend on the number of processes."""

import pytest
import torch
from processes import CASES, EPOCHS, edges_of, launch, train, write


@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    r"""The states of one process, of two, and of four that go on from the
    checkpoint of two.
    """
    out = tmp_path_factory.mktemp('runs')
    write(out / 'graph')
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
    index, prob = edges_of([one[name]])
    assert (prob != 0.25).any()
    for states in others:
        got, got_prob = edges_of([state[name] for state in states])
        assert torch.equal(got, index)
        assert torch.allclose(got_prob, prob, atol=1e-4)
        for state in states:
            assert torch.allclose(
                state[name]['prob'], one[name]['prob'], atol=1e-4
            )


def test_each_process_has_its_share_of_the_logits(runs):
    for states in runs:
        counts = [state['evidence']['logits'] for state in states]
        assert sum(counts) == 78
        assert max(counts) <= 78 / len(states) + 1
