r"""Far from all training rows, predictions fall back to what is known of a row
without any features.
"""

import numpy as np
import pytest
import torch
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
)
from torch_geometric.data import Data

from torch_geometric_vgcn.estimators import (
    VGCNClassifier,
    VGCNNodeClassifier,
    VGCNRegressor,
)

FAR = [1e6, 1e30, 1e200, 1.7e308]
GRAPHS = [{}, {'trust': 0.5, 'n_neighbors': 5}]  # none at all, or neighbours
DIRECTIONS = [[1, 1, 1, 1], [-1, -1, -1, -1], [0, 0, 1, 0], [1, -1, 1, -1]]


def _quick(**kwargs):
    return VGCNClassifier(max_iter=60, hidden=32, random_state=0, **kwargs)


def _flowers():
    r"""Iris, of which most labels are unknown, the known ones unequally."""
    x, y = load_iris(return_X_y=True)
    known = (np.arange(150) % 5 == 0) & ((y != 2) | (np.arange(150) % 2 == 0))
    return x, np.where(known, y, -1)


def _shares(y):
    return np.bincount(y[y >= 0]) / (y >= 0).sum()


@pytest.mark.parametrize('graph', GRAPHS)
@pytest.mark.parametrize('size', FAR)
def test_far_rows_get_the_class_shares(graph, size):
    x, y = _flowers()
    clf = _quick(**graph).fit(x, y)
    prob = clf.predict_proba(size * np.array(DIRECTIONS, dtype=float))
    assert np.allclose(prob, _shares(y), atol=1e-4)
    assert np.allclose(prob.sum(axis=1), 1)


def test_the_fall_back_is_gradual():
    x, y = _flowers()
    clf = _quick().fit(x, y)
    centre = x.mean(axis=0)
    away = np.geomspace(0.1, 1000, 300)[:, None] * (x[0] - centre)
    prob = clf.predict_proba(centre + away)
    off = np.abs(prob - _shares(y)).max(axis=1)
    most = off.argmax()
    assert off[most] > 0.5 and off[-1] < 0.01
    assert (np.diff(off[most:]) <= 1e-9).all()
    assert np.abs(np.diff(prob[most:], axis=0)).max() < 0.05


@pytest.mark.parametrize('graph', GRAPHS)
@pytest.mark.parametrize('size', FAR)
def test_far_rows_get_the_mean_and_the_deviation_of_values(graph, size):
    x, y = load_diabetes(return_X_y=True)
    known = np.arange(len(y)) % 3 == 0
    reg = VGCNRegressor(max_iter=60, hidden=32, random_state=0, **graph)
    reg.fit(x, np.where(known, y, np.nan))
    rows = np.stack([np.full(10, size), np.full(10, -size)])
    mean, std = reg.predict(rows, return_std=True)
    assert np.allclose(mean, y[known].mean(), rtol=0.01)
    assert np.allclose(std, y[known].std(), rtol=0.01)
    assert (reg.predict(rows) == mean).all()


def test_a_row_of_fit_that_is_far_from_all_others_gets_the_class_shares():
    x, y = _flowers()
    clf = _quick().fit(np.vstack([x, np.full((1, 4), 1e30)]), np.append(y, -1))
    assert np.allclose(clf.label_distributions_[-1], _shares(y), atol=0.02)


def test_a_row_of_fit_that_is_far_from_all_others_gets_the_mean():
    x, y = load_diabetes(return_X_y=True)
    reg = VGCNRegressor(max_iter=60, hidden=32, random_state=0)
    reg.fit(np.vstack([x, np.full((1, 10), 1e30)]), np.append(y, np.nan))
    assert abs(reg.transduction_[-1] - y.mean()) < 0.1 * y.std()


def test_a_known_label_stays_however_far_its_row_is():
    x, y = _flowers()
    clf = _quick().fit(np.vstack([x, np.full((1, 4), 1e6)]), np.append(y, 1))
    assert clf.label_distributions_[-1].argmax() == 1
    assert clf.label_distributions_[-1, 1] > 0.99


def test_a_far_row_is_predicted_as_if_it_were_alone():
    x, y = _flowers()
    clf = _quick(trust=0.5).fit(x, y)
    both = clf.predict_proba(np.vstack([x[:3], np.full((1, 4), 1e30)]))
    assert np.allclose(both[:3], clf.predict_proba(x[:3]), atol=1e-12)


def test_far_nodes_get_the_class_shares():
    x, y = _flowers()
    data = Data(x=torch.from_numpy(x).float(), y=torch.from_numpy(y))
    model = VGCNNodeClassifier(max_iter=60, hidden=32, random_state=0)
    far = Data(x=torch.full((1, 4), 1e30))
    prob = model.fit(data).predict(far, return_prob=True)[1]
    assert np.allclose(prob, _shares(y), atol=1e-4)


def test_far_rows_are_the_same_after_loading(tmp_path):
    x, y = _flowers()
    clf = _quick().fit(x, y)
    clf.save(tmp_path / 'model.vgcn')
    rows = np.vstack([x[:2], x[:2] + 20, x[:2] + 1e30])
    other = VGCNClassifier.load(tmp_path / 'model.vgcn')
    assert (other.predict_proba(rows) == clf.predict_proba(rows)).all()


@pytest.mark.parametrize('load', [load_breast_cancer, load_digits])
def test_ordinary_unseen_rows_are_told_apart_as_before(load):
    r"""No more than a row or two of a hundred is farther from the mean than
    all training rows, and only such rows may be less certain.
    """
    x, y = load(return_X_y=True)
    train = np.random.RandomState(0).rand(len(y)) < 0.5
    clf = _quick(trust=0.5, n_neighbors=5).fit(x[train], y[train])
    assert clf.score(x[~train], y[~train]) > 0.95
    prob = clf.predict_proba(x[~train])
    right = prob[np.arange(len(prob)), y[~train]]
    assert -np.log(right.clip(1e-12)).mean() < 0.2
