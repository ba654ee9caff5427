import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torch_geometric_vgcn.pairs import AllPairs, Candidates


@st.composite
def graph_and_some_nodes(draw):
    n = draw(st.integers(2, 10))
    node = st.integers(0, n - 1)
    edge = st.tuples(node, node).filter(lambda e: e[0] != e[1])
    edges = draw(st.lists(edge, min_size=1, max_size=30))
    node_id = draw(st.lists(node, min_size=2, unique=True))
    return n, torch.tensor(edges).t(), torch.tensor(node_id)


@given(graph_and_some_nodes())
def test_union_of_directions_and_duplicates_in_order(example):
    n, edge_index, _ = example
    pairs = Candidates(edge_index, n)
    edges = {tuple(sorted(e)) for e in edge_index.t().tolist()}
    assert pairs.index.t().tolist() == [list(e) for e in sorted(edges)]
    assert pairs.key.tolist() == [i * n + j for i, j in sorted(edges)]
    assert pairs.num_possible == n * (n - 1) // 2


@given(graph_and_some_nodes())
def test_subset_names_the_same_pairs(example):
    n, edge_index, node_id = example
    pairs = Candidates(edge_index, n)
    part = pairs.subset(node_id)
    global_index = node_id[part.index].sort(dim=0).values
    assert torch.equal(global_index, pairs.index[:, part.position])
    within = torch.isin(pairs.index, node_id).all(dim=0)
    assert len(part) == int(within.sum())
    key = part.index[0] * part.num_nodes + part.index[1]
    assert (part.index[0] < part.index[1]).all()
    assert (key.diff() > 0).all()


def test_subset_without_any_pair_is_empty(graph):
    part = Candidates(graph, 6).subset(torch.tensor([0, 4]))
    assert part.index.shape == (2, 0)
    assert part.dot(torch.ones(2, 3), torch.ones(2, 3)).shape == (0,)


@pytest.mark.parametrize('node_id', [[1], [0, 6], [-1, 2], [2, 4, 2]])
def test_subset_refuses_what_does_not_name_nodes(graph, node_id):
    with pytest.raises(ValueError, match="'node_id'"):
        Candidates(graph, 6).subset(torch.tensor(node_id))


def test_dot_takes_left_from_the_first_node_and_right_from_the_second(graph):
    left, right = torch.randn(2, 6, 300)
    pairs = Candidates(graph, 6)
    expected = [left[i] @ right[j] for i, j in pairs.index.t().tolist()]
    torch.testing.assert_close(pairs.dot(left, right), torch.stack(expected))


def test_dot_of_features_too_wide_to_gather_at_once():
    width = 2**23  # two of the three pairs fit in a chunk
    left = torch.tensor([[1.0], [2.0], [4.0]]).expand(3, width)
    pairs = Candidates(AllPairs(3).index, 3)
    expected = width * torch.tensor([2.0, 4.0, 8.0])
    torch.testing.assert_close(pairs.dot(left, left), expected)


def test_contains_an_edge_in_either_direction(graph):
    pairs = Candidates(graph, 6)
    mask = pairs.contains(torch.tensor([[2, 5, 0], [1, 3, 5]]))
    assert pairs.index[:, mask].t().tolist() == [[1, 2], [3, 5]]


def test_state_of_the_same_candidates_is_accepted(graph):
    state = Candidates(graph, 6).state_dict()
    again = Candidates(graph.flip(1), 6)
    keys = again.load_state_dict(state)
    assert keys.missing_keys == keys.unexpected_keys == []


def test_state_of_other_candidates_is_refused(graph):
    state = Candidates(graph, 6).state_dict()
    edge_index = graph.clone()
    edge_index[:, 0] = torch.tensor([0, 5])
    fewer = Candidates(graph[:, :5], 6)
    for other in (fewer, Candidates(edge_index, 6)):
        with pytest.raises(ValueError, match='other candidate pairs'):
            other.load_state_dict(state)
