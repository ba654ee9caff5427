r"""Quantities of any size, and of none."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

from torch_geometric_vgcn.estimators import (
    LabelledKFold,
    VGCNClassifier,
    VGCNRegressor,
    transductive_scores,
)

#: Powers of two, which change no digit.
SIZES = [2.0**990, 2.0**-990, -(2.0**600)]


@pytest.fixture(scope='module')
def table():
    x, y = load_diabetes(return_X_y=True)
    return x, np.where(np.arange(len(y)) % 2 == 0, y, np.nan)


def _quick(**kwargs):
    return VGCNRegressor(max_iter=40, hidden=32, random_state=0, **kwargs)


@pytest.mark.parametrize('size', SIZES)
def test_quantities_of_any_size_are_learned_alike(table, size):
    x, y = table
    reg, other = _quick().fit(x, y), _quick().fit(x, y * size)
    assert other.validation_score_ == pytest.approx(
        reg.validation_score_, abs=0.05
    )
    found = reg.predict(x, return_std=True)
    unit = [part / size for part in other.predict(x, return_std=True)]
    assert np.corrcoef(found[0], unit[0])[0, 1] > 0.95
    assert np.median(np.abs(unit[1])) == pytest.approx(
        np.median(found[1]), rel=0.1
    )
    assert np.isfinite(other.transduction_).all()
    assert 0 < other.noise_ / abs(size) < np.nanstd(y)


@pytest.mark.parametrize('size', [2.0**990, 2.0**-990])
def test_the_same_digits_of_another_size_give_the_same_predictions(
    table, size
):
    x, y = table
    expected = _quick().fit(x, y).predict(x)
    assert (_quick().fit(x, y * size).predict(x) == expected * size).all()


@pytest.mark.parametrize('size', SIZES)
def test_scores_have_no_unit(table, size):
    x, y = table
    known = ~np.isnan(y)
    reg = _quick().fit(x, y * size)
    score = reg.score(x[known], y[known] * size)
    unit = reg.predict(x[known]) / size
    error = np.mean((unit - y[known]) ** 2)
    assert score == pytest.approx(1 - error / y[known].var())
    cv = LabelledKFold(2, random_state=0)
    quick = _quick(trust=0.5, n_neighbors=5)
    for scores in (
        cross_val_score(quick, x, y * size, cv=cv),
        transductive_scores(quick, x, y * size, cv=cv),
    ):
        assert (scores > 0.2).all() and (scores < 1).all()


@pytest.mark.parametrize('value', [1e306, -1.7e308])
def test_quantities_at_the_limit_of_numbers_are_refused(table, value):
    x, y = table
    with pytest.raises(ValueError, match="'y'"):
        _quick().fit(x, np.where(np.arange(len(y)) == 0, value, y))


@pytest.mark.parametrize(
    'value', [0.0, 5.0, 0.1, -1e-5, 1e-300, 5e-324, 1e300]
)
def test_a_constant_is_predicted_exactly(table, value):
    x, y = table
    reg = _quick().fit(x, np.where(np.isnan(y), np.nan, value))
    mean, std = reg.predict(np.vstack([x, x + 1e9]), return_std=True)
    assert (mean == value).all() and (std == 0).all()
    assert (reg.transduction_ == value).all()
    assert reg.noise_ == 0
    assert reg.validation_score_ == 1
    assert reg.score(x, np.full(len(x), value)) == 1
    assert all(0 <= trial['r2'] <= 1 for trial in reg.trials_)


def test_scores_on_held_out_values_that_are_all_the_same():
    r"""One value of forty differs, so that most parts that are held out hold
    one value only.
    """
    x = np.random.RandomState(0).randn(40, 2)
    y = np.zeros(40)
    y[7] = 1000.0
    reg = _quick(trust=0.5).fit(x, y)
    assert np.isfinite(reg.validation_score_)
    scores = transductive_scores(reg, x, y, cv=LabelledKFold(2))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize('size', [1e300, 1e-300, 1e307])
@pytest.mark.parametrize('kind', [VGCNClassifier, VGCNRegressor])
def test_features_of_any_size_are_learned_alike(table, kind, size):
    x, y = table
    y = np.where(np.isnan(y), -1, y > 150) if kind is VGCNClassifier else y
    one, other = (
        kind(max_iter=40, hidden=32, random_state=0).fit(rows, y)
        for rows in (x, x * size)
    )
    found, expected = other.predict(x * size), one.predict(x)
    assert np.corrcoef(found, expected)[0, 1] > 0.9


@pytest.mark.parametrize('width', [20, 600])
@pytest.mark.parametrize('size', [2.0**1000, 2.0**-1000])
def test_counts_of_any_size_are_learned_alike(width, size):
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    x = rng.poisson((rng.rand(3, width) ** 4)[y]).astype(float)
    known = np.where(np.arange(90) % 2 == 0, y, -1)
    one, other = (
        VGCNClassifier(max_iter=20, hidden=32, random_state=0).fit(rows, known)
        for rows in (x, x * size)
    )
    prob = other.predict_proba(x * size)
    assert np.allclose(prob, one.predict_proba(x), atol=0.05)


def test_features_at_the_limit_of_numbers():
    x = np.random.RandomState(0).choice([-1.7e308, 1.7e308], (60, 3))
    y = (x[:, 0] > 0).astype(int)
    clf = VGCNClassifier(max_iter=40, hidden=32, random_state=0).fit(x, y)
    assert clf.score(x, y) == 1


def test_sparse_columns_with_a_large_mean():
    r"""Far from zero, but not from each other."""
    rng = np.random.RandomState(0)
    y = np.arange(120) % 2
    kind = np.eye(300)[rng.randint(300, size=(120, 2))].reshape(120, 600)
    size = 1e8 + 3 * y + rng.randn(120)
    x = np.column_stack([kind - np.eye(120, 600), size])
    known = np.where(np.arange(120) % 2, -1, y)
    known[:60] = y[:60]
    clf = VGCNClassifier(max_iter=60, hidden=32, random_state=0).fit(x, known)
    assert np.isfinite(clf.label_distributions_).all()
