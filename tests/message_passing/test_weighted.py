import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.utils import scatter, softmax

from torch_geometric_vgcn.message_passing.weighted import (
    expected_max,
    weighted_scatter,
    weighted_softmax,
)


@pytest.mark.parametrize('reduce', ['sum', 'mean', 'max', 'min', 'mul'])
@pytest.mark.parametrize('dim', [0, 1, -2])
@given(seed=st.integers(0, 10_000))
def test_weights_in_zero_one_select_edges(reduce, dim, seed):
    generator = torch.Generator().manual_seed(seed)
    shape = [3, 3, 2]
    shape[dim] = 9
    src = torch.randn(shape, generator=generator)
    index = torch.randint(4, (9,), generator=generator)
    kept = torch.rand(9, generator=generator) < 0.6
    got = weighted_scatter(src, kept.float(), index, dim, 4, reduce)
    some = src.index_select(dim, kept.nonzero().view(-1))
    expected = scatter(some, index[kept], dim, 4, reduce)
    if reduce == 'mul':
        # PyG leaves zero where there is nothing to multiply.
        empty = scatter(kept.long(), index, 0, 4, 'sum') == 0
        size = [1] * 3
        size[dim] = -1
        expected = expected.masked_fill(empty.view(size), 1.0)
    assert torch.allclose(got, expected, atol=1e-5)


def test_expected_max_is_the_expectation():
    src, weight = torch.randn(5), torch.rand(5)
    index = torch.zeros(5, dtype=torch.long)
    expected = 0.0
    for there in itertools.product([False, True], repeat=5):
        there = torch.tensor(there)
        prob = torch.where(there, weight, 1 - weight).prod()
        expected += prob * (src[there].max() if there.any() else 0.0)
    got = expected_max(src, weight, index, dim_size=1)
    assert torch.allclose(got, expected.view(1), atol=1e-6)


def test_expected_max_of_nothing():
    index = torch.empty(0, dtype=torch.long)
    out = expected_max(torch.empty(0, 3), torch.empty(0), index, 0, 2)
    assert torch.equal(out, torch.zeros(2, 3))


def test_expected_max_gradcheck():
    src = torch.randn(6, 2, dtype=torch.double, requires_grad=True)
    weight = torch.rand(6, dtype=torch.double, requires_grad=True)
    index = torch.tensor([0, 1, 0, 2, 1, 0])
    assert torch.autograd.gradcheck(
        lambda s, w: expected_max(s, w, index, 0, 4), (src, weight)
    )


def test_softmax_counts_edges_by_weight():
    src, index = torch.randn(8, 2), torch.tensor([0, 0, 0, 1, 1, 2, 2, 2])
    weight = torch.tensor([1.0, 0, 1, 1, 1, 0, 0, 1])
    alpha = weighted_softmax(src, weight, index, 3)
    total = scatter(weight[:, None] * alpha, index, 0, 3, 'sum')
    assert torch.allclose(total, torch.ones(3, 2))
    kept = weight == 1
    expected = softmax(src[kept], index[kept], num_nodes=3)
    assert torch.allclose(alpha[kept], expected)


def test_softmax_survives_a_deleted_edge_far_above():
    src = torch.tensor([1000.0, 1.0, 2.0])
    weight = torch.tensor([0.0, 1.0, 1.0], requires_grad=True)
    index = torch.zeros(3, dtype=torch.long)
    alpha = weighted_softmax(src, weight, index, 1)
    assert torch.allclose(alpha[1:], src[1:].softmax(0))
    (weight * alpha).sum().backward()
    assert weight.grad.isfinite().all()


def test_no_gradient_is_lost_where_no_weight_is_left():
    weight = torch.zeros(2, requires_grad=True)
    index = torch.tensor([0, 0])
    degree = weighted_scatter(torch.ones(2), weight, index, 0, 2)
    scale = degree.pow(-0.5)
    scale = scale.masked_fill(scale == torch.inf, 0.0)
    scale.sum().backward()
    assert weight.grad.isfinite().all()


def test_unknown_reduction():
    with pytest.raises(ValueError, match="'median'"):
        index = torch.zeros(2, dtype=torch.long)
        weighted_scatter(torch.ones(2), torch.ones(2), index, reduce='median')


def test_attention_of_any_weights_and_scores():
    # An edge that isn't there may score far above all others, and all others
    # may have next to no weight.
    index = torch.zeros(4, dtype=torch.long)
    sizes = [0.0, 1e-42, 1e-30, 1e-15, 1e-6, 1.0]
    for size in sizes:
        weight = torch.tensor([0.0, size, 0.5 * size, 1e-25])
        score = torch.tensor([300.0, -20.0, 10.0, 0.0])
        weight.requires_grad_()
        score.requires_grad_()
        alpha = weighted_softmax(score, weight, index, 1)
        total = (alpha * weight).sum()
        assert 0 <= float(total) <= 1 + 1e-5
        if size >= 1e-15:
            exact = weight.double() * score.double().exp()
            exact[0] = 0.0
            assert torch.allclose(
                (alpha * weight).double(), exact / exact.sum(), atol=1e-5
            )
        grads = torch.autograd.grad(
            (alpha * weight).square().sum(), (weight, score)
        )
        assert all(grad.isfinite().all() for grad in grads)
