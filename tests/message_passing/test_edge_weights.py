import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.utils import degree, scatter, softmax

from torch_geometric_vgcn.message_passing import EdgeWeights
from torch_geometric_vgcn.message_passing.edge_weights import expected_max


def edges_to(index, weight, num_nodes=20):
    r"""As many edges, to the nodes of :obj:`index`."""
    source = torch.arange(index.numel()) + 10
    return EdgeWeights(torch.stack([source, index]), weight, num_nodes)


def weighted_scatter(src, weight, index, *args, **kwargs):
    with edges_to(index, weight):
        return scatter(src, index, *args, **kwargs)


def weighted_softmax(src, weight, index, num_nodes):
    with edges_to(index, weight):
        return softmax(src, index, num_nodes=num_nodes)


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
    index, ones = torch.zeros(2, dtype=torch.long), torch.ones(2)
    with (
        edges_to(index, ones),
        pytest.raises(ValueError, match="'mean'"),
    ):
        torch.zeros(1).scatter_reduce_(0, index, ones, 'mean')


def test_degrees_count_edges_by_weight():
    index, weight = torch.tensor([0, 0, 1]), torch.tensor([0.25, 0.5, 1.0])
    with edges_to(index, weight):
        assert degree(index, 3).tolist() == [0.75, 1.0, 0.0]
        assert degree(index, 3, torch.long).tolist() == [1, 1, 0]


@pytest.mark.parametrize('add', ['index_add_', 'index_add', 'scatter_add'])
def test_other_ways_to_add_up(add):
    index, weight = torch.tensor([0, 2, 2]), torch.tensor([0.5, 0.0, 2.0])
    src = torch.randn(3, 4)
    wide = index.view(-1, 1).expand(3, 4) if 'scatter' in add else index
    with edges_to(index, weight):
        got = getattr(torch.zeros(3, 4), add)(0, wide, src)
    assert torch.allclose(
        got, torch.stack([src[0] / 2, torch.zeros(4), 2 * src[2]])
    )


def test_sums_over_nodes_stay_as_they_are():
    index, batch = torch.tensor([0, 0, 1]), torch.tensor([0, 0, 1, 1])
    with edges_to(index, torch.zeros(3)):
        assert scatter(torch.ones(4), batch).tolist() == [2.0, 2.0]


def test_weights_of_a_list_that_was_made_from_the_edges():
    index, weight = torch.tensor([0, 0, 1]), torch.tensor([0.25, 0.5, 1.0])
    mode = edges_to(index, weight)
    with mode:
        edge_index = mode.lists[0][0].flip(1)[:, :2]
        assert degree(edge_index[1], 2).tolist() == [0.5, 1.0]


def test_in_this_thread_and_block_only():
    index, ones = torch.tensor([0, 0]), torch.ones(2)
    with edges_to(index, torch.zeros(2)), ThreadPoolExecutor(1) as pool:
        assert pool.submit(scatter, ones, index).result().tolist() == [2.0]
        assert scatter(ones, index).tolist() == [0.0]
    assert scatter(ones, index).tolist() == [2.0]


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
