r"""A given graph whose nodes have names: those of the rows of a table."""

import networkx
import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
import torch
from sklearn.datasets import make_blobs

from torch_geometric_vgcn import SmoothedPrior
from torch_geometric_vgcn.estimators import (
    VGCNClassifier,
    VGCNRegressor,
    transductive_scores,
)
from torch_geometric_vgcn.report import report

N = 60
QUICK = {
    'trust': 0.9,
    'n_neighbors': 5,
    'hidden': 8,
    'max_iter': 5,
    'random_state': 0,
}


def table(index=None):
    r"""A table with a row name each, in no order, and its labels."""
    x, y = make_blobs(N, centers=3, n_features=4, random_state=0)
    if index is None:
        index = [
            f'row {i:02}' for i in np.random.RandomState(0).permutation(N)
        ]
    frame = pandas.DataFrame(x, index=index, columns=list('abcd'))
    return frame, np.where(np.arange(N) % 3 == 0, y, -1)


def edges_of(frame):
    r"""Pairs of row names, in another order than the rows; row 7 has none."""
    rng = np.random.RandomState(1)
    ends = rng.randint(N, size=(100, 2))
    ends = ends[(ends[:, 0] != ends[:, 1]) & (ends != 7).all(axis=1)]
    names = frame.index.tolist()
    return [(names[i], names[j]) for i, j in ends.tolist()]


def graph_of(edges):
    source, target = zip(*edges, strict=True)
    listed = pandas.DataFrame({'source': source, 'target': target})
    return networkx.from_pandas_edgelist(listed)


def expected(frame, edges):
    place = {name: i for i, name in enumerate(frame.index)}
    matrix = np.zeros((N, N))
    for u, v in edges:
        matrix[place[u], place[v]] = matrix[place[v], place[u]] = 1
    return matrix


def forms(edges, rows=()):
    source, target = zip(*edges, strict=True)
    columns = {'source': list(source), 'target': list(target)}
    whole = graph_of(edges)
    whole.add_nodes_from(rows)
    return {
        'networkx': graph_of(edges),
        'networkx, all rows': whole,
        'networkx, directed': networkx.DiGraph(edges),
        'pairs': edges,
        'pandas': pandas.DataFrame(columns),
        'polars': polars.DataFrame(columns),
    }


@pytest.mark.parametrize('form', forms([('a', 'b')]))
@pytest.mark.parametrize('kind', [VGCNClassifier, VGCNRegressor])
def test_edges_between_names_join_the_rows_of_these_names(kind, form):
    frame, y = table()
    y = np.where(y < 0, np.nan, y) if kind is VGCNRegressor else y
    edges = edges_of(frame)
    matrix = expected(frame, edges)
    graph = forms(edges, frame.index)[form]
    model = kind(**QUICK).fit(frame, y, graph=graph)
    assert (model.given_graph_.toarray() == matrix).all()
    same = kind(**QUICK).fit(frame, y, graph=scipy.sparse.csr_array(matrix))
    assert (model.transduction_ == same.transduction_).all()
    assert (model.predict(frame[:9]) == same.predict(frame[:9])).all()


@pytest.mark.parametrize(
    'index',
    [
        np.random.RandomState(0).permutation(N),
        np.arange(N) * 10 + 5,
        pandas.date_range('2020-01-01', periods=N)[::-1],
        pandas.MultiIndex.from_product([list('ab'), range(N // 2)]),
        pandas.Index([f'{i}' for i in range(N)][::-1]),
        pandas.CategoricalIndex([f'c{i}' for i in range(N)][::-1]),
    ],
    ids=['shuffled', 'spread', 'dates', 'tuples', 'digits', 'categories'],
)
def test_any_index_but_row_numbers_is_names(index):
    frame, y = table(index)
    edges = edges_of(frame)
    for graph in (networkx.Graph(edges), edges):
        clf = VGCNClassifier(**QUICK).fit(frame, y, graph=graph)
        found = clf.given_graph_.toarray()
        assert (found == expected(frame, edges)).all()


def test_a_sample_of_a_table_keeps_its_edges():
    r"""Integer labels that :obj:`sample` leaves with their rows."""
    frame, y = table(range(N))
    edges = edges_of(frame)
    first = VGCNClassifier(**QUICK).fit(frame, y, graph=edges)
    mixed = frame.sample(frac=1, random_state=0)
    order = mixed.index.to_numpy()
    clf = VGCNClassifier(**QUICK).fit(mixed, y[order], graph=edges)
    found = clf.given_graph_.toarray()
    assert (found == first.given_graph_.toarray()[order][:, order]).all()


def test_rows_without_edges_need_not_be_nodes():
    frame, y = table()
    edges = edges_of(frame)
    clf = VGCNClassifier(**QUICK).fit(frame, y, graph=graph_of(edges))
    assert clf.given_graph_[[7]].nnz == 0


@pytest.mark.parametrize(
    'strange', ['nobody', '7', 7, 7.0, None, float('nan'), ('a', 1)]
)
@pytest.mark.parametrize('index', ['names', 'numbers'])
def test_a_node_that_is_no_row_is_refused(strange, index):
    frame, y = table(None if index == 'names' else np.arange(N)[::-1] + 100)
    name = frame.index[3]
    graphs = [[(name, strange)]]
    if strange is not None:  # which NetworkX refuses itself
        graphs.append(networkx.Graph([(name, strange)]))
    for graph in graphs:
        with pytest.raises(ValueError, match="'graph'"):
            VGCNClassifier(**QUICK).fit(frame, y, graph=graph)


def test_a_node_without_edges_that_is_no_row_is_refused():
    frame, y = table()
    graph = graph_of(edges_of(frame))
    graph.add_node('nobody')
    with pytest.raises(ValueError, match="'graph'.*'nobody'"):
        VGCNClassifier(**QUICK).fit(frame, y, graph=graph)


def test_a_part_of_the_table_with_the_whole_graph_is_refused():
    frame, y = table()
    graph = graph_of(edges_of(frame))
    with pytest.raises(ValueError, match="'graph'"):
        VGCNClassifier(**QUICK).fit(frame[:30], y[:30], graph=graph)


def test_numbers_as_text_are_refused():
    frame, y = table(range(N))
    numbers = [(str(u), str(v)) for u, v in edges_of(frame)]
    for index in (range(N), np.arange(N)[::-1]):
        x = frame.set_axis(index)
        for graph in (networkx.Graph(numbers), numbers):
            with pytest.raises(ValueError, match="'graph'.*'[0-9]+'"):
                VGCNClassifier(**QUICK).fit(x, y, graph=graph)
    # And the other way round:
    text = frame.set_axis([str(i) for i in range(N)][::-1])
    for graph in (networkx.path_graph(N), [(0, 1), (2, 3)]):
        with pytest.raises(ValueError, match="'graph'"):
            VGCNClassifier(**QUICK).fit(text, y, graph=graph)


@pytest.mark.parametrize('kind', ['array', 'polars', 'default index'])
def test_names_are_refused_where_rows_have_none(kind):
    frame, y = table(range(N))
    x = {
        'array': frame.to_numpy(),
        'polars': polars.DataFrame(frame.to_dict('list')),
        'default index': frame,
    }[kind]
    named = networkx.relabel_nodes(networkx.path_graph(N), 'node {}'.format)
    for graph in (named, list(named.edges)):
        with pytest.raises(ValueError, match="'graph'.*'node 0'"):
            VGCNClassifier(**QUICK).fit(x, y, graph=graph)
    for graph in (networkx.path_graph(N), list(networkx.path_graph(N).edges)):
        clf = VGCNClassifier(**QUICK).fit(x, y, graph=graph)
        assert clf.given_graph_.nnz == 2 * (N - 1)


def test_row_names_must_be_distinct_if_nodes_are_names():
    frame, y = table()
    edges = edges_of(frame)
    double = frame.index.tolist()
    double[5] = double[9]
    twice = frame.set_axis(double)
    for graph in (networkx.Graph(edges), edges):
        with pytest.raises(ValueError, match=f"'graph'.*{double[9]}"):
            VGCNClassifier(**QUICK).fit(twice, y, graph=graph)
    # Two tables in a row, each numbered by itself:
    joined = pandas.concat([frame[:30], frame[30:]])
    joined = joined.set_axis([*range(30), *range(30)])
    with pytest.raises(ValueError, match="'graph'"):
        VGCNClassifier(**QUICK).fit(joined, y, graph=networkx.path_graph(30))
    # Positions need no names:
    matrix = scipy.sparse.csr_array(expected(frame, edges))
    VGCNClassifier(**QUICK).fit(twice, y, graph=matrix)


def test_a_missing_row_name_is_no_name():
    frame, y = table()
    name = frame.index[3]
    holes = frame.index.to_series().astype(object)
    holes.iloc[5] = np.nan
    frame = frame.set_axis(holes.tolist())
    with pytest.raises(ValueError, match="'graph'"):
        VGCNClassifier(**QUICK).fit(frame, y, graph=[(name, np.nan)])


def test_positions_stay_positions_whatever_the_index():
    frame, y = table(np.random.RandomState(0).permutation(N))
    index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    matrix = scipy.sparse.coo_array((np.ones(3), index.numpy()), (N, N))
    for graph in (index, index.numpy(), matrix):
        clf = VGCNClassifier(**QUICK).fit(frame, y, graph=graph)
        row, col = clf.given_graph_.nonzero()
        assert {(0, 1), (1, 2), (2, 3)} < set(zip(row, col, strict=True))


def test_names_go_through_scores_files_and_reports(tmp_path):
    frame, y = table()
    edges = edges_of(frame)
    clf = VGCNClassifier(**QUICK).fit(frame, y, graph=edges)
    clf.save(tmp_path / 'model.vgcn')
    again = VGCNClassifier.load(tmp_path / 'model.vgcn')
    assert (again.given_graph_ != clf.given_graph_).nnz == 0
    assert (again.predict(frame) == clf.predict(frame)).all()
    report(clf, tmp_path / 'report.html', names=frame.index)
    by_name = transductive_scores(clf, frame, y, graph=graph_of(edges))
    matrix = scipy.sparse.csr_array(expected(frame, edges))
    assert (by_name == transductive_scores(clf, frame, y, matrix)).all()


@pytest.mark.parametrize(
    'nodes', [('0', '1', '2'), ('a', 'b', 'c'), (0, 1, 'c'), (0, 1, 2.0)]
)
def test_nodes_of_a_prior_are_numbers(nodes):
    a, b, c = nodes
    for graph in (networkx.Graph([(c, a), (a, b)]), [(c, a), (a, b)]):
        with pytest.raises(ValueError, match="'edge_index'"):
            SmoothedPrior(graph, 3)
