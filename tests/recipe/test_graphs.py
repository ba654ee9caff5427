"""Graphs in every usual form, and nodes with names."""

import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
from torch_geometric.utils import to_scipy_sparse_matrix

from torch_geometric_vgcn import VGCN

NAMES = [f'node {i:02}' for i in np.random.RandomState(0).permutation(60)]


@pytest.fixture
def apart(blocks):
    """The data without their graph, and the graph."""
    edge_index = blocks.edge_index
    del blocks.edge_index
    return blocks, edge_index


def pairs(edge_index, names):
    i, j = edge_index[:, edge_index[0] < edge_index[1]].tolist()
    return [(names[a], names[b]) for a, b in zip(i, j, strict=True)]


BY_NUMBER = {
    'edge_index': lambda e: e,
    'array': lambda e: e.numpy(),
    'SciPy': lambda e: to_scipy_sparse_matrix(e, num_nodes=60),
    'CSR of SciPy': lambda e: scipy.sparse.csr_array(
        to_scipy_sparse_matrix(e, num_nodes=60)
    ),
}
BY_NAME = {
    'pairs': lambda p: p,
    'backwards': lambda p: [(b, a) for a, b in reversed(p)],
    'pandas': lambda p: pandas.DataFrame(p, columns=['from', 'to']),
    'NetworkX': networkx.Graph,
    'directed': networkx.DiGraph,
}


@pytest.mark.parametrize('form', BY_NUMBER)
@pytest.mark.parametrize('names', [None, NAMES])
def test_matrices_and_indices_count_nodes(apart, model_of, form, names):
    data, edge_index = apart
    graph = BY_NUMBER[form](edge_index)
    model = model_of(data, graph=graph, node_names=names)
    assert model.task.edge_index.equal(edge_index)


@pytest.mark.parametrize('form', BY_NAME)
@pytest.mark.parametrize('names', [None, NAMES, np.arange(60)[::-1] + 7])
def test_pairs_have_names(apart, model_of, form, names):
    data, edge_index = apart
    listed = list(range(60) if names is None else names)
    graph = BY_NAME[form](pairs(edge_index, listed))
    model = model_of(data, graph=graph, node_names=names)
    assert model.task.edge_index.equal(edge_index)


def test_results_have_the_names(apart, model_of, fitted):
    data, edge_index = apart
    graph = pandas.DataFrame(pairs(edge_index, NAMES))
    model = model_of(
        data, graph=graph, node_names=NAMES, members=fitted.members
    ).fit()
    want = fitted.edges()
    for key in ('source', 'target'):
        want[key] = [NAMES[i] for i in want[key]]
    assert model.edges().equals(want)
    assert model.predict().equal(fitted.predict())
    names = model.learned_graph().node_names
    assert names == NAMES
    assert 'graph=graph,' in repr(model)


BAD = {
    'stranger': ([('node 00', 'nobody')], NAMES, "'graph'.*'nobody'"),
    'number': ([('node 00', 3)], NAMES, "'graph'.*3"),
    'no names': ([('node 00', 'node 01')], None, "'graph'.*node_names"),
    'weights': (
        scipy.sparse.eye_array(60, k=1, format='csr') / 2,
        None,
        "'graph'.*0.5",
    ),
    'other size': (scipy.sparse.eye_array(59, k=1), None, "'graph'.*60.*59"),
    'few names': (None, NAMES[:-1], "'node_names'.*60.*59"),
    'same names': (None, [*NAMES[:-1], NAMES[0]], "'node_names'.*twice"),
    'floats': (None, np.arange(60.0), "'node_names'.*0.0"),
}


@pytest.mark.parametrize('name', BAD)
def test_bad_graphs_and_names_are_named(apart, model_of, name):
    graph, names, match = BAD[name]
    with pytest.raises((TypeError, ValueError), match=match):
        model_of(apart[0], graph=graph, node_names=names)


def test_two_graphs_are_one_too_many(blocks):
    with pytest.raises(ValueError, match="'graph'.*edge_index = None"):
        VGCN(blocks, blocks.edge_index)
