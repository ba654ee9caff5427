import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import tensor

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.objective import Categorical


def drawn(temperature, num_nodes=20_000, seed=0, dtype=torch.double):
    r"""Probabilities, and classes that were drawn at a temperature."""
    generator = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(num_nodes, 4, generator=generator).double()
    true = (logits / temperature).softmax(dim=-1)
    y = torch.multinomial(true, 1, generator=generator).view(-1)
    return logits.softmax(dim=-1).to(dtype), y


def nll(prob, y):
    return -float(prob.gather(-1, y.view(-1, 1)).double().log().mean())


def calibrated(prob, temperature):
    likelihood = Categorical()
    likelihood.set_temperature(temperature)
    return likelihood.calibrated(prob)


@pytest.mark.parametrize('temperature', [0.3, 0.8, 1.0, 1.7, 5.0])
@pytest.mark.parametrize(
    'dtype', [torch.bfloat16, torch.half, torch.float, torch.double]
)
def test_a_known_temperature_is_found(temperature, dtype):
    prob, y = drawn(temperature, dtype=dtype)
    found = best_temperature(prob, y, torch.arange(len(y)))
    assert found == pytest.approx(temperature, rel=0.05)


def test_it_is_the_best_of_all():
    prob, y = drawn(1.7, num_nodes=300)
    found = best_temperature(prob, y, torch.arange(300))
    likelihood = Categorical().double()

    def at(temperature):
        likelihood.set_temperature(temperature)
        # With the log-normal prior of deviation 1/2:
        penalty = (math.log(temperature) / 0.5) ** 2 / 2
        return 300 * nll(likelihood.calibrated(prob), y) + penalty

    values = [at(found * factor) for factor in (0.9, 0.99, 1.01, 1.1)]
    assert at(found) < min(values)


@given(st.integers(1, 40), st.integers(0, 200), st.sampled_from([0.2, 1, 9]))
def test_the_likelihood_never_falls(num_nodes, seed, scale):
    generator = torch.Generator().manual_seed(seed)
    logits = scale * torch.randn(num_nodes, 3, generator=generator)
    y = torch.randint(3, (num_nodes,), generator=generator)
    prob = logits.softmax(dim=-1)
    temperature = best_temperature(prob, y, torch.arange(num_nodes))
    assert 1 / 20 <= temperature <= 20
    after = calibrated(prob, temperature)
    assert nll(after, y) <= nll(prob, y) + 1e-5
    assert torch.equal(after.argmax(dim=-1), prob.argmax(dim=-1))
    rows = torch.arange(num_nodes).unsqueeze(-1)
    assert (after[rows, prob.argsort(dim=-1)].diff(dim=-1) >= 0).all()


def test_only_the_mask_counts():
    prob, y = drawn(3.0, num_nodes=400)
    mask = torch.arange(400) < 200
    expected = best_temperature(prob[:200], y[:200], torch.arange(200))
    y = y.masked_fill(~mask, -1)
    assert best_temperature(prob, y, mask) == expected
    assert best_temperature(prob, y, mask.nonzero().view(-1)) == expected


def test_few_labels_leave_it_near_one_and_many_do_not():
    lows, highs = [], []
    for count in (4, 40, 4000):
        prob = tensor([[0.6, 0.4]] * count)
        right, wrong = torch.zeros(count).long(), torch.ones(count).long()
        every = torch.arange(count)
        lows.append(best_temperature(prob, right, every))
        highs.append(best_temperature(prob, wrong, every))
    assert 1 > lows[0] > 0.8 > lows[1] > lows[2] >= 1 / 20
    assert 1 < highs[0] < 1.25 < highs[1] < highs[2] <= 20


@pytest.mark.parametrize('dtype', [torch.half, torch.float, torch.double])
def test_probabilities_of_zero_and_one(dtype):
    prob = tensor([[1.0, 0.0, 0.0]] * 40).to(dtype)
    y = torch.zeros(40).long()
    y[0] = 1  # said to be impossible
    temperature = best_temperature(prob, y, torch.arange(40))
    assert math.isfinite(temperature)
    likelihood = Categorical()
    likelihood.set_temperature(temperature)
    after = likelihood.calibrated(prob)
    assert after.dtype == dtype and after.isfinite().all()
    assert (after.argmax(dim=-1) == 0).all()
    # Now it is said to be as frequent as it is, or as rare as can be:
    tiny = torch.finfo(dtype).tiny
    before = -(39 * math.log(1.0) + math.log(tiny)) / 40
    assert nll(after, y) < before
    if dtype == torch.half:  # which has the largest smallest number
        assert 1 / 400 < float(after[0, 1]) < 1 / 40
