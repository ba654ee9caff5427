r"""The same numbers give the same model, whatever holds them."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from sklearn.datasets import load_iris
from torch_geometric.data import Data

from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
    VGCNNodeClassifier,
    VGCNRegressor,
)
from torch_geometric_vgcn.nearest import Cosine, Minkowski
from torch_geometric_vgcn.transforms import KNNGraph


def _iris():
    r"""Measurements without a zero, as whole numbers of millimetres."""
    x, y = load_iris(return_X_y=True)
    return (x * 10).round(), y


def _words():
    r"""Counts of more words than are kept as columns."""
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    return rng.poisson((rng.rand(3, 700) ** 20)[y] * 5).astype(float), y


def _categories():
    r"""Many categories beside numbers of both signs, most entries zero."""
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    kind = np.eye(200)[rng.randint(200, size=(90, 3))].reshape(90, 600)
    return np.hstack([kind, 3 * y[:, None] + rng.randint(-2, 3, (90, 4))]), y


def _signals():
    r"""More measurements than are kept as columns, few of them zero."""
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    return rng.randint(-9, 9, (90, 600)) + 2.0 * y[:, None], y


TABLES = [_iris, _words, _categories, _signals]


def _with_zeros(x):
    r"""Compressed rows in which all zeros are stored."""
    row, col = np.indices(x.shape).reshape(2, -1)
    place = np.append(0, np.cumsum(np.full(x.shape[0], x.shape[1])))
    out = scipy.sparse.csr_array((x.ravel(), col, place), shape=x.shape)
    assert out.nnz == x.size
    return out


def _in_halves(x):
    r"""Each entry as the sum of two that are stored, in no order."""
    row, col = x.nonzero()
    order = np.random.RandomState(0).permutation(2 * row.size) % row.size
    half = (x[row, col] / 2)[order]
    return scipy.sparse.coo_array((half, (row[order], col[order])), x.shape)


def _rows_in_halves(x):
    r"""The same in compressed rows, where they aren't added up by SciPy."""
    parts = scipy.sparse.csr_array(x)
    return scipy.sparse.csr_array(
        (
            parts.data.repeat(2) / 2,
            parts.indices.repeat(2),
            parts.indptr * 2,
        ),
        shape=x.shape,
    )


def _torch_halves(x):
    parts = _in_halves(x)
    index = torch.from_numpy(np.stack([parts.row, parts.col]))
    return torch.sparse_coo_tensor(
        index, torch.from_numpy(parts.data), x.shape, check_invariants=True
    )


CONTAINERS = {
    'a list': lambda x: x.tolist(),
    'columns one after the other': np.asfortranarray,
    'every second row of a larger array': lambda x: x.repeat(2, axis=0)[::2],
    'single precision': lambda x: x.astype(np.float32),
    'half precision': lambda x: x.astype(np.float16),
    'integers': lambda x: x.astype(np.int64),
    'small integers': lambda x: x.astype(np.int8),
    'CSR': scipy.sparse.csr_matrix,
    'a CSR array of integers': lambda x: scipy.sparse.csr_array(x.astype(int)),
    'CSC': scipy.sparse.csc_array,
    'LIL': scipy.sparse.lil_array,
    'blocks': lambda x: scipy.sparse.bsr_array(x, blocksize=(1, 2)),
    'CSR with zeros that are stored': _with_zeros,
    'COO with entries in two parts': _in_halves,
    'CSR with entries in two parts': _rows_in_halves,
    'pandas': pd.DataFrame,
    'pandas, integers': lambda x: pd.DataFrame(x).astype('Int64'),
    'pandas, sparse': lambda x: pd.DataFrame.sparse.from_spmatrix(
        scipy.sparse.csr_matrix(x)
    ),
    'polars': lambda x: pl.DataFrame(x),
    'a tensor': torch.from_numpy,
    'a tensor of single precision': lambda x: torch.from_numpy(x).float(),
    'a tensor of bfloat16': lambda x: torch.from_numpy(x).bfloat16(),
    'a transposed tensor': lambda x: torch.from_numpy(x.T.copy()).t(),
    'a tensor with a gradient': lambda x: torch.tensor(x, requires_grad=True),
    'a sparse tensor': lambda x: torch.from_numpy(x).to_sparse(),
    'a tensor of compressed rows': lambda x: torch.from_numpy(
        x
    ).to_sparse_csr(),
    'a tensor of compressed columns': lambda x: torch.from_numpy(
        x
    ).to_sparse_csc(),
    'a sparse tensor with entries in two parts': _torch_halves,
}
STORED = ['CSR', 'CSR with zeros that are stored', 'a sparse tensor']


def _classifier():
    return VGCNClassifier(max_iter=15, hidden=16, random_state=0)


def _half_known(y):
    return np.where(np.arange(y.size) % 2 == 0, y, -1)


@pytest.fixture(scope='module')
def expected():
    r"""The models of arrays."""
    found = {}
    for table in TABLES:
        x, y = table()
        clf = _classifier().fit(x, _half_known(y))
        found[table] = clf, clf.predict_proba(x[::7])
    return found


def _assert_same(clf, x, expected):
    other, prob = expected
    assert clf.choice_ == other.choice_
    same = clf.label_distributions_ == other.label_distributions_
    assert same.all()
    assert (clf.graph_ != other.graph_).nnz == 0
    assert (clf.predict_proba(x) == prob).all()


@pytest.mark.parametrize('container', CONTAINERS)
def test_a_table_gives_the_same_model_in_each_container(expected, container):
    x, y = _iris()
    held = CONTAINERS[container]
    clf = _classifier().fit(held(x), _half_known(y))
    _assert_same(clf, held(x[::7].copy()), expected[_iris])


@pytest.mark.parametrize('container', STORED)
@pytest.mark.parametrize('table', TABLES[1:])
def test_many_columns_give_the_same_model_in_each_container(
    expected, table, container
):
    x, y = table()
    held = CONTAINERS[container]
    clf = _classifier().fit(held(x), _half_known(y))
    _assert_same(clf, held(x[::7].copy()), expected[table])


@pytest.mark.parametrize('table', TABLES)
def test_unseen_rows_may_be_held_otherwise_than_those_of_fit(expected, table):
    x, _ = table()
    clf, prob = expected[table]
    assert (clf.predict_proba(scipy.sparse.csc_array(x[::7])) == prob).all()


def test_the_same_words_are_counts_in_each_container(expected):
    x, y = _words()
    for held in (np.asarray, scipy.sparse.csr_array, pd.DataFrame):
        clf = _classifier().set_params(features='counts')
        clf.fit(held(x), _half_known(y))
        _assert_same(clf, held(x[::7]), expected[_words])


@pytest.mark.parametrize('container', STORED)
def test_quantities_are_the_same_in_each_container(container):
    x, y = _iris()
    reg = VGCNRegressor(max_iter=15, hidden=16, random_state=0)
    held = CONTAINERS[container]
    mean = reg.fit(x[:, 1:], x[:, 0]).predict(x[::7, 1:])
    reg.fit(held(x[:, 1:].copy()), x[:, 0])
    assert (reg.predict(held(x[::7, 1:].copy())) == mean).all()


def test_nodes_are_the_same_in_each_container():
    x, y = _iris()
    x, y = torch.from_numpy(x).float(), torch.from_numpy(y)
    mask = torch.arange(150) % 2 == 0
    found = []
    for held in (x, x.to_sparse(), x.to_sparse_csr()):
        data = Data(x=held, y=y, train_mask=mask)
        model = VGCNNodeClassifier(max_iter=15, hidden=16, random_state=0)
        found.append(model.fit(data).predict(return_prob=True)[1])
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@pytest.mark.filterwarnings('ignore:A column-vector y')
def test_labels_are_the_same_in_each_container(expected):
    x, y = _iris()
    known = _half_known(y)
    for label in (
        known.tolist(),
        known.astype(np.int8),
        known.astype(float),
        np.where(known >= 0, known, np.nan),
        known[:, None],
        pd.Series(known),
        pl.Series(known),
        torch.from_numpy(known),
        torch.from_numpy(known).float(),
        np.ma.array(y, mask=known < 0),
    ):
        clf = _classifier().fit(x, label)
        _assert_same(clf, x[::7], expected[_iris])


def test_quantities_that_a_mask_hides_are_unknown():
    x, y = _iris()
    reg = VGCNRegressor(max_iter=15, hidden=16, random_state=0)
    hidden = np.arange(150) % 2 == 1
    mean = reg.fit(x, np.where(hidden, np.nan, x[:, 0])).predict(x)
    reg.fit(x, np.ma.array(x[:, 0], mask=hidden))
    assert (reg.predict(x) == mean).all()
    cv = LabelledKFold(3, quantity=True)
    for label in (np.ma.array(y, mask=hidden), np.ma.array(x, mask=x < 9)):
        label = label.reshape(150, -1)[:, 0]
        for _, test in cv.split(x, label):
            assert not np.ma.getmaskarray(label)[test].any()


def test_features_that_a_mask_hides_are_refused():
    x, y = _iris()
    with pytest.raises(ValueError, match="'X'"):
        _classifier().fit(np.ma.array(x, mask=x > 60), y)
    _classifier().fit(np.ma.array(x), y)


@pytest.mark.parametrize('share', [0.05, 0.9])
@pytest.mark.parametrize('metric', [Cosine(), Minkowski(), Minkowski(1.0)])
def test_the_nearest_rows_are_the_same_in_each_container(share, metric):
    r"""Whole numbers, of which many are equally far from each other."""
    x = torch.rand(200, 60).lt(share) * torch.randint(1, 4, (200, 60)).double()
    x[[5, 9]] = 0
    expected = KNNGraph(8, metric=metric)(Data(x=x.float())).edge_index
    for held in (
        x,
        x.t().contiguous().t(),
        x.to_sparse(),
        x.to_sparse_csr(),
        x.to_sparse_csc(),
        x.float().to_sparse(),
        _torch_halves(x.numpy()),
    ):
        found = KNNGraph(8, metric=metric)(Data(x=held)).edge_index
        assert torch.equal(found, expected)


def test_the_matrix_of_the_caller_is_not_changed():
    x, y = _iris()
    given = _rows_in_halves(x)
    data, size = given.data.copy(), given.nnz
    _classifier().fit(given, _half_known(y))
    assert given.nnz == size and (given.data == data).all()


@pytest.mark.parametrize('values', [[1, 2], [-1, 1]])  # counts or not
def test_a_wide_sparse_matrix_never_becomes_a_dense_one(values):
    rng = np.random.RandomState(0)
    shape = 4000, 20_000
    row = np.arange(shape[0]).repeat(3)
    col = rng.randint(shape[1], size=row.size)
    x = scipy.sparse.csr_array(
        (rng.choice(values, size=row.size), (row, col)), shape=shape
    )
    clf = VGCNClassifier(trust=0.5, n_neighbors=3, max_iter=2, hidden=8)
    tracemalloc.start()
    try:
        clf.fit(x, np.arange(shape[0]) % 2).predict(x)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 0.4 * shape[0] * shape[1] * 8
