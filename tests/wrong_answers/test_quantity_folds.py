r"""Folds of quantities: each known one is tested once, -1, too."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
    VGCNRegressor,
    transductive_scores,
)


@pytest.fixture
def counts():
    r"""Whole numbers, some of them -1, which the features tell."""
    rng = np.random.RandomState(0)
    x = rng.randn(90, 2)
    y = np.round(6 * x[:, 0]).clip(-1)
    assert (y == -1).sum() > 20
    return x, y


def _tested(cv, x, y):
    folds = list(cv.split(x, y))
    for train, test in folds:
        assert np.intersect1d(train, test).size == 0
        assert train.size + test.size == len(y)
    return np.sort(np.concatenate([test for _, test in folds]))


@pytest.mark.parametrize('kind', [float, int, object, 'Int64'])
def test_each_quantity_is_tested_once(counts, kind):
    x, y = counts
    y = pd.Series(y).astype(kind)
    cv = LabelledKFold(3, random_state=0, quantity=True)
    assert (_tested(cv, x, y) == np.arange(90)).all()


@pytest.mark.parametrize('missing', [np.nan, None, pd.NA])
def test_missing_quantities_are_never_tested(counts, missing):
    x, y = counts
    y = y.astype(object)
    y[::4] = missing
    cv = LabelledKFold(3, random_state=0, quantity=True)
    known = np.flatnonzero(np.arange(90) % 4)
    assert (_tested(cv, x, y) == known).all()


def test_classes_that_are_unknown_are_never_tested(counts):
    x, y = counts
    for cv in (LabelledKFold(3), LabelledKFold(3, quantity=False)):
        assert (_tested(cv, x, y) == np.flatnonzero(y >= 0)).all()


@pytest.mark.parametrize('missing', [-1, None, pd.NA, np.nan])
def test_classes_may_be_objects(counts, missing):
    x, y = counts
    label = (y > 3).astype(int).astype(object)
    label[::3] = missing
    known = np.flatnonzero(np.arange(90) % 3)
    assert (_tested(LabelledKFold(3), x, label) == known).all()
    hidden = np.ma.array(y > 3, mask=np.arange(90) % 3 == 0)
    assert (_tested(LabelledKFold(3), x, hidden) == known).all()


def test_quantities_need_no_number_twice(counts):
    x, _ = counts
    y = np.random.RandomState(0).permutation(90) - 5
    cv = LabelledKFold(3, random_state=0, quantity=True)
    assert (_tested(cv, x, y) == np.arange(90)).all()


@pytest.mark.parametrize(
    'y', [np.arange(90), np.arange(90) - 1.0, np.arange(90) % 7 - 3]
)
def test_whole_numbers_that_are_no_classes_are_refused(counts, y):
    with pytest.raises(ValueError, match="'quantity'"):
        next(LabelledKFold(3).split(counts[0], y))
    for quantity in (True, False):
        if quantity or np.unique(y).size < 10:
            next(LabelledKFold(3, quantity=quantity).split(counts[0], y))


def test_many_classes_are_still_classes(counts):
    y = np.arange(90) % 25
    cv = LabelledKFold(3, random_state=0)
    for _, test in cv.split(counts[0], y):
        assert np.unique(y[test]).size == 25


@pytest.mark.parametrize('quantity', [0, 'yes', np.array([True])])
def test_a_quantity_is_yes_or_no(quantity):
    with pytest.raises(TypeError, match="'quantity'"):
        LabelledKFold(3, quantity=quantity)


def test_a_regressor_is_scored_on_all_its_quantities(counts):
    x, y = counts
    reg = VGCNRegressor(trust=0.5, max_iter=30, hidden=16, random_state=0)
    cv = LabelledKFold(3, random_state=0, quantity=True)
    assert cross_val_score(reg, x, y, cv=cv).min() > 0.5
    search = GridSearchCV(LinearRegression(), {}, cv=cv).fit(x, y)
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize(('kind', 'given'), [(float, True), (int, False)])
def test_transductive_scores_know_quantities_by_the_estimator(
    counts, kind, given
):
    r"""All rows whose value is known have a part in the score, so the largest
    error there can be is one in all of them.
    """
    x, y = counts
    y[y >= 0] = 0  # -1 and 0: a regressor's values, and a class of -1
    cv = LabelledKFold(3, random_state=0) if given else None
    reg = VGCNRegressor(trust=0.5, max_iter=30, hidden=16, random_state=0)
    scores = transductive_scores(reg, x, y.astype(kind), cv=cv)
    assert (scores > 0.3).all() and (scores < 1).all()


def test_transductive_scores_of_a_classifier_leave_out_unknown_classes(counts):
    x, y = counts
    y = np.where(y == -1, -1, y > 3)
    clf = VGCNClassifier(trust=0.5, max_iter=30, hidden=16, random_state=0)
    for cv in (None, LabelledKFold(5, random_state=0, quantity=True)):
        assert transductive_scores(clf, x, y, cv=cv).mean() > 0.8
