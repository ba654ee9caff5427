import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck

from torch_geometric_vgcn.pairs import AllPairs


@st.composite
def nodes_and_some_of_them(draw):
    num_nodes = draw(st.integers(2, 12))
    ids = st.integers(0, num_nodes - 1)
    node_id = draw(st.lists(ids, min_size=2, unique=True))
    return num_nodes, torch.tensor(node_id)


@given(st.integers(2, 20))
def test_each_pair_comes_once_in_order_and_none_is_a_self_loop(n):
    pairs = AllPairs(n)
    expected = [[i, j] for i in range(n) for j in range(i + 1, n)]
    assert pairs.index.t().tolist() == expected
    assert len(pairs) == pairs.num_possible == n * (n - 1) // 2


def test_key_is_the_place_in_the_flattened_matrix():
    assert AllPairs(4).key.tolist() == [1, 2, 3, 6, 7, 11]


def test_to_dense_is_symmetric_with_a_zero_diagonal():
    pairs = AllPairs(5)
    value = torch.arange(1.0, 11.0)
    adj = pairs.to_dense(value)
    row, col = pairs.index
    assert torch.equal(adj[row, col], value)
    assert torch.equal(adj, adj.t())
    assert torch.equal(adj.diagonal(), torch.zeros(5))


def test_to_dense_is_differentiable():
    value = torch.rand(6, dtype=torch.float64, requires_grad=True)
    assert gradcheck(AllPairs(4).to_dense, value)


def test_dot_takes_left_from_the_first_node_and_right_from_the_second():
    left, right = torch.randn(2, 5, 3)
    pairs = AllPairs(5)
    expected = [left[i] @ right[j] for i, j in pairs.index.t().tolist()]
    torch.testing.assert_close(pairs.dot(left, right), torch.stack(expected))


def test_contains_an_edge_in_either_direction():
    pairs = AllPairs(4)
    mask = pairs.contains(torch.tensor([[2, 0, 1], [1, 3, 2]]))
    assert pairs.index[:, mask].t().tolist() == [[0, 3], [1, 2]]


@given(nodes_and_some_of_them())
def test_subset_names_the_same_pairs(example):
    num_nodes, node_id = example
    pairs = AllPairs(num_nodes)
    part = pairs.subset(node_id)
    assert len(part) == len(node_id) * (len(node_id) - 1) // 2
    assert torch.equal(part.node_id, node_id)
    global_index = node_id[part.index].sort(dim=0).values
    assert torch.equal(global_index, pairs.index[:, part.position])


@pytest.mark.parametrize(
    'node_id, message',
    [
        ([3], 'at least two nodes'),
        ([[0, 1], [2, 3]], 'at least two nodes'),
        ([0, 6], r'in \[0, 5\], got ids from 0 to 6'),
        ([-1, 2], 'got ids from -1 to 2'),
        ([2, 4, 2], 'each node once'),
    ],
)
def test_subset_refuses_what_does_not_name_nodes(node_id, message):
    with pytest.raises(ValueError, match=f"'node_id' .*{message}"):
        AllPairs(6).subset(torch.tensor(node_id))


def test_one_node_has_no_pairs():
    with pytest.raises(ValueError, match="'num_nodes' must be at least 2"):
        AllPairs(1)
