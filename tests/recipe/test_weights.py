"""Weights by EM: what they maximise, and what must follow from it."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torch_geometric_vgcn.recipe.weights import (
    pruned,
    stack,
    temperature_of,
    tempered,
    uncertainty,
)


def likelihoods(seed, n, m):
    rng = torch.Generator().manual_seed(seed)
    return torch.rand(n, m, generator=rng, dtype=torch.double)


def objective(weight, p):
    prior = 3 / p.size(1) * weight.log().sum()
    return float((p @ weight).log().sum() + prior)


sizes = st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 6)


@given(*sizes)
def test_no_other_weights_are_better(seed, n, m):
    p = likelihoods(seed, n, m)
    best = objective(stack(p), p)
    rng = torch.Generator().manual_seed(seed + 1)
    for _ in range(20):
        other = torch.rand(m, generator=rng, dtype=torch.double) + 1e-9
        assert objective(other / other.sum(), p) <= best + 1e-4


@given(*sizes)
def test_each_step_increases_the_posterior(seed, n, m):
    p = likelihoods(seed, n, m)
    scores = [objective(stack(p, steps=k), p) for k in range(6)]
    assert all(b >= a - 1e-9 for a, b in pairwise(scores))


@given(*sizes)
def test_weights_are_shares_in_any_order(seed, n, m):
    p = likelihoods(seed, n, m)
    weight = stack(p)
    assert float(weight.sum()) == pytest.approx(1)
    assert bool((weight > 0).all())
    order = torch.randperm(m, generator=torch.Generator().manual_seed(seed))
    torch.testing.assert_close(stack(p[:, order]), weight[order])
    rows = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    torch.testing.assert_close(stack(p[rows]), weight)


def test_a_useless_member_gets_none():
    y = torch.arange(300) % 3
    good = torch.full((300,), 0.7)
    good[:60] = 0.05  # wrong, where the second one is right
    other = torch.full((300,), 0.2)
    other[:60] = 0.9
    useless = torch.full((300,), 1 / 3).where(y == 0, 0.01)
    likelihood = torch.stack([good, other, useless], dim=1)
    weight = pruned(stack(likelihood))
    assert weight[2] == 0
    assert weight[0] > weight[1] > 0
    few = stack(likelihood[57:63])  # choose less
    assert few.max() - few.min() < weight[0]


def test_without_labels_members_count_alike():
    weight = pruned(stack(torch.empty(0, 4)))
    torch.testing.assert_close(weight, torch.full((4,), 0.25).double())
    rng = torch.Generator()
    assert bool(uncertainty(torch.empty(0, 4), rng).isnan().all())


def test_counts_are_repeated_labels():
    p = likelihoods(0, 8, 3)
    count = torch.randint(4, (5, 8)).double()
    each = [stack(p.repeat_interleave(c.long(), dim=0)) for c in count]
    torch.testing.assert_close(
        stack(p, count), torch.stack(each), atol=1e-4, rtol=1e-4
    )


def test_more_labels_are_more_certain():
    p = likelihoods(0, 40, 3)
    rng = torch.Generator().manual_seed(0)
    few = uncertainty(p, rng).mean()
    many = uncertainty(p.repeat(20, 1), rng).mean()
    assert 0 < many < few


def test_all_follows_a_permutation_of_the_classes():
    rng = torch.Generator().manual_seed(0)
    prob = torch.randn(50, 4, generator=rng).softmax(dim=1)
    y = prob.multinomial(1, generator=rng).view(-1)
    order = torch.tensor([2, 0, 3, 1])  # class c becomes order[c]
    other = torch.empty_like(prob)
    other[:, order] = prob
    t = temperature_of(prob, y)
    assert temperature_of(other, order[y]) == pytest.approx(t, rel=1e-4)
    torch.testing.assert_close(tempered(other, t)[:, order], tempered(prob, t))


def test_overconfident_probabilities_are_tempered():
    rng = torch.Generator().manual_seed(0)
    prob = torch.randn(500, 3, generator=rng).softmax(dim=1)
    y = prob.multinomial(1, generator=rng).view(-1)
    sure = tempered(prob, 0.25)
    assert temperature_of(sure, y) == pytest.approx(4, rel=0.3)
    assert temperature_of(prob[:0], y[:0]) == 1
