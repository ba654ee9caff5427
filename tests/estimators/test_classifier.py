import networkx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from torch_geometric_vgcn.estimators import VGCNClassifier


def test_labels_spread_to_all_rows(blobs, quick):
    x, truth, y = blobs
    quick.fit(x, y)
    assert (quick.transduction_ == truth).mean() > 0.9
    assert quick.label_distributions_.shape == (120, 3)
    assert np.allclose(quick.label_distributions_.sum(axis=1), 1)
    assert (quick.predict(x) == truth).mean() > 0.9
    assert quick.n_iter_ >= 1


def test_the_learned_graph_is_a_matrix_of_probabilities(blobs, quick):
    x, truth, y = blobs
    graph = quick.fit(x, y).graph_
    assert graph.shape == (120, 120)
    assert (graph != graph.T).nnz == 0
    assert (graph.data > 0).all() and (graph.data <= 1).all()
    row, col = graph.nonzero()
    same = truth[row] == truth[col]
    assert graph.data[same].mean() > graph.data[~same].mean()
    assert networkx.from_scipy_sparse_array(graph).number_of_nodes() == 120


def test_held_out_labels_weigh_members(blobs):
    x, truth, y = blobs
    clf = VGCNClassifier(max_iter=30, random_state=0).fit(x, y)
    tried = {trial['setting'] for trial in clf.trials_}
    assert {'no graph', 'nearest neighbours'} <= tried
    assert tried == set(clf.leaderboard_['member'])
    weight = dict(
        zip(
            clf.leaderboard_['member'], clf.leaderboard_['weight'], strict=True
        )
    )
    assert sum(weight.values()) == pytest.approx(1)
    assert {name for name in weight if name in clf.choice_} >= {
        name for name, value in weight.items() if value > 0
    }
    hits = clf.validation_distributions_.argmax(axis=1)
    score = (hits == y[clf.validation_rows_]).mean()
    assert clf.validation_score_ == pytest.approx(score)
    assert clf.validation_rows_.size == (y >= 0).sum()
    assert clf.validation_distributions_.shape == ((y >= 0).sum(), 3)


def test_one_label_of_each_class_measures_nothing(blobs):
    x, truth, _ = blobs
    first = np.unique(truth, return_index=True)[1]
    y = np.full(120, -1)
    y[first] = truth[first]
    clf = VGCNClassifier(max_iter=30, random_state=0).fit(x, y)
    assert np.isnan(clf.validation_score_) and clf.validation_size_ == 0
    assert clf.validation_rows_.size == 0
    assert clf.validation_distributions_.shape == (0, 3)
    assert clf.trials_ == []
    assert (clf.transduction_[first] == truth[first]).all()
    assert (clf.transduction_ == truth).mean() > 0.6
    graph = networkx.path_graph(120)
    assert 'given graph' in clf.fit(x, y, graph=graph).choice_


def test_features_that_tell_nothing_and_a_graph_that_does(blobs):
    x, truth, y = blobs
    noise = np.random.RandomState(0).randn(*x.shape)
    same = truth[:, None] == truth[None]
    edges = np.stack(np.nonzero(np.triu(same, 1)))[:, ::9]
    graph = scipy.sparse.coo_array(
        (np.ones(edges.shape[1]), tuple(edges)), shape=(120, 120)
    )
    clf = VGCNClassifier(max_iter=40, random_state=0)
    clf.fit(noise, y, graph=graph)
    assert 'given graph' in clf.choice_
    assert (clf.transduction_ == truth).mean() > 0.75


@pytest.mark.parametrize('trust', ['auto', 0.9])
def test_unseen_rows_join_as_they_would_without_the_given_graph(blobs, trust):
    x, truth, y = blobs
    right = networkx.Graph(
        (i, j) for i in range(120) for j in range(i) if truth[i] == truth[j]
    )
    clf = VGCNClassifier(max_iter=40, trust=trust, random_state=0)
    clf.fit(x, y, graph=right)
    assert 'given graph' in clf.choice_
    prob = clf.predict_proba(x)
    assert np.allclose(prob.sum(axis=1), 1)
    assert (prob.argmax(axis=1) == truth).mean() > 0.8


def test_a_graph_of_other_rows(blobs, quick):
    x, _, y = blobs
    graph = scipy.sparse.eye_array(120).tocsr()
    with pytest.raises(ValueError, match='slices the rows of a matrix'):
        quick.fit(x, y, graph=graph[:100])
    with pytest.raises(ValueError, match="'graph' is an empty graph"):
        quick.fit(x, y, graph=graph)  # loops only


def test_names_of_classes_and_columns(blobs, quick):
    x, truth, y = blobs
    names = np.array(['red', 'green', 'blue'])
    label = np.where(y >= 0, names[y], None)
    for frame in (
        pd.DataFrame(x, columns=list('abcde')),
        pl.DataFrame(x, schema=list('abcde')),
    ):
        quick.fit(frame, label)
        assert quick.feature_names_in_.tolist() == list('abcde')
        assert quick.classes_.tolist() == ['blue', 'green', 'red']
        assert (quick.predict(frame) == names[truth]).mean() > 0.9
        assert (quick.transduction_ == names[truth]).mean() > 0.9
    with pytest.raises(ValueError, match='feature names'):
        quick.predict(pd.DataFrame(x, columns=list('vwxyz')))


def test_sparse_counts(quick):
    rng = np.random.RandomState(0)
    truth = rng.randint(3, size=150)
    rate = np.full((3, 40), 0.1)
    rate[np.arange(40) % 3, np.arange(40)] = 1.0
    x = scipy.sparse.csr_array(rng.poisson(rate[truth]))
    y = np.where(rng.rand(150) < 0.3, truth, -1)
    quick.fit(x, y)
    assert (quick.predict(x) == truth).mean() > 0.9
    dense = VGCNClassifier(**quick.get_params()).fit(x.toarray(), y)
    assert (dense.transduction_ == quick.transduction_).mean() > 0.95


def test_categories_and_missing_values_by_a_pipeline(blobs, quick):
    r"""The recipe of the documentation."""
    x, truth, y = blobs
    frame = pd.DataFrame(x, columns=list('abcde'))
    frame.loc[::7, 'a'] = np.nan
    frame['kind'] = np.where(truth == 0, 'left', 'right')
    columns = make_column_transformer(
        (
            make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()),
            list('abcde'),
        ),
        (OneHotEncoder(handle_unknown='ignore'), ['kind']),
    )
    model = make_pipeline(columns, quick)
    model.fit(frame, y)
    assert (model.predict(frame) == truth).mean() > 0.9


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'trust': 2.0}, "'trust'"),
        ({'n_neighbors': 0}, "'n_neighbors'"),
        ({'features': 'words'}, "'features' must be one of auto"),
    ],
)
def test_parameters_that_make_no_sense(blobs, change, message):
    x, _, y = blobs
    with pytest.raises(ValueError, match=message):
        VGCNClassifier(**change).fit(x, y)


def test_fewer_rows_than_neighbours():
    x = np.array([[0.0], [0.1], [5.0], [5.1]])
    clf = VGCNClassifier(trust=0.1, n_neighbors=50, max_iter=20)
    clf.fit(x, [0, -1, 1, -1])
    assert clf.predict(x).shape == (4,)
