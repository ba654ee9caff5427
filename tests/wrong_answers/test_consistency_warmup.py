"""The weight of a term grows from its first step on, and is whole when the
term calls itself settled.
"""

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import FixedGraph, fit
from torch_geometric_vgcn.objective import Consistency

Y = torch.tensor([0, 1, 2, -1, -1, -1, -1])
MASK = torch.arange(7) < 3  # one label of each class: the shares stay equal


def step(term, out):
    r"""A training step, and the term's value in it."""
    loss = term(out, Y, MASK)
    loss.backward()
    return float(loss)


@pytest.fixture
def out():
    return torch.randn(3, 7, 3, dtype=torch.double, requires_grad=True)


@pytest.mark.parametrize('warmup', [1, 4, 50])
def test_the_weight_grows_with_each_step_to_its_full_size(out, warmup):
    whole = float(Consistency(3, warmup=0).double()(out, Y, MASK))
    term = Consistency(3, warmup=warmup).double()
    shares, settled = [], []
    for _ in range(warmup + 2):
        shares.append(step(term, out) / whole)
        settled.append(term.settled)
    expected = [min(1, (t + 1) / warmup) for t in range(warmup + 2)]
    assert shares == pytest.approx(expected)
    # Settled after the first step of full weight, not before:
    assert settled == [share == 1 for share in expected]


def test_evaluation_has_the_weight_of_the_last_step(out):
    term = Consistency(3, warmup=4).double()
    last = [step(term, out) for _ in range(3)][-1]
    term.eval()
    values = [float(term(out, Y, MASK)) for _ in range(5)]
    assert values == pytest.approx([last] * 5)
    assert not term.settled


def test_only_a_training_step_brings_the_weight_forward(out):
    term = Consistency(3, warmup=4).double()
    first = [float(term(out, Y, MASK)) for _ in range(5)]
    assert first[0] > 0 and first == pytest.approx(first[:1] * 5)
    assert step(term, out) == pytest.approx(first[0])
    assert step(term, out) == pytest.approx(2 * first[0])


def test_a_compiled_term_counts_its_steps_as_others_do(out):
    torch.compiler.reset()
    values = []
    for compiled in (False, True):
        term = Consistency(3, warmup=4).double()
        call = torch.compile(term, backend='aot_eager') if compiled else term
        for _ in range(2):
            loss = call(out, Y, MASK)
            loss.backward()
        values.append([loss, *term.state_dict().values()])
    torch.testing.assert_close(*values)


def test_outputs_without_a_gradient_are_no_step():
    term = Consistency(3, warmup=4)
    values = [float(term(torch.eye(7, 3), Y, MASK)) for _ in range(5)]
    assert values == values[:1] * 5 and not term.settled


def test_the_first_epoch_that_may_be_the_best_has_the_full_weight(karate):
    data = karate
    model = FixedGraph(GCN(34, 8, 2, 4), data.edge_index)
    term = Consistency(4, warmup=3)
    short = fit(model, data, epochs=2, terms=[term], progress=False)
    assert not short.settled and not term.settled
    enough = fit(model, data, epochs=3, terms=[term], progress=False)
    assert enough.settled and enough.best_epoch == 2 and term.settled
