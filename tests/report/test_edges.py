import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from torch_geometric_vgcn.report.edges import EdgeChanges

PAIRS = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(
    lambda pair: pair[0] < pair[1]
)
PROB = st.floats(0.01, 0.99)


def symmetric(values):
    matrix = scipy.sparse.lil_array((7, 7))
    for (i, j), value in values.items():
        matrix[i, j] = matrix[j, i] = value
    return matrix.tocsr()


@given(st.dictionaries(PAIRS, st.tuples(PROB, PROB)), st.sets(PAIRS))
def test_candidates_and_given_edges_are_joined(candidates, known):
    edges = EdgeChanges.of_graphs(
        symmetric({pair: probs[0] for pair, probs in candidates.items()}),
        symmetric({pair: probs[1] for pair, probs in candidates.items()}),
        symmetric(dict.fromkeys(known, 1.0)),
    )
    pairs = list(map(tuple, edges.index.T.tolist()))
    assert pairs == sorted(set(candidates) | known)
    for place, pair in enumerate(pairs):
        probs = (edges.prior[place], edges.posterior[place])
        assert probs == candidates.get(pair, (0.0, 0.0))
        assert edges.given[place] == (pair in known)
        assert edges.candidate[place] == (pair in candidates)


def edges_of(given):
    return EdgeChanges(
        np.array([[0, 0, 0, 1, 1], [1, 2, 3, 2, 3]]),
        np.array([0.5, 0.5, 0.9, 0.2, 0.0]),
        np.array([0.1, 0.8, 0.4, 0.3, 0.0]),
        np.array(given),
    )


def test_given_edges_are_ranked_by_what_they_are_now():
    edges = edges_of([True, False, True, False, False])
    assert edges.uses_given and edges.has_new
    assert edges.most_distrusted(5).tolist() == [0, 2]
    assert edges.strongest(5).tolist() == [1, 3]
    assert edges.strongest(1).tolist() == [1]


def test_a_given_graph_that_is_not_used_is_not_ranked():
    edges = edges_of([True, False, True, False, True])  # the last is left out
    assert not edges.uses_given
    assert edges.most_distrusted(2).tolist() == [2, 0]


def test_without_a_given_graph_edges_are_ranked_by_their_change():
    edges = edges_of([False] * 5)
    assert not edges.uses_given and not edges.has_new
    assert edges.most_distrusted(2).tolist() == [2, 0]
    assert edges.strongest(2).tolist() == [1, 3]


def test_without_new_edges_the_second_list_is_by_change():
    edges = edges_of([True] * 4 + [False])
    assert not edges.has_new
    assert edges.most_distrusted(2).tolist() == [0, 3]
    assert edges.strongest(2).tolist() == [1, 3]


def test_equal_values_keep_their_order():
    half = np.full(100, 0.5)
    index = np.stack([np.zeros(100), np.arange(1, 101)]).astype(int)
    edges = EdgeChanges(index, half, half, np.ones(100, dtype=bool))
    assert edges.most_distrusted(3).tolist() == [0, 1, 2]
