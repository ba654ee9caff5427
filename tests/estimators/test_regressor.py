import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from torch_geometric_vgcn.estimators import VGCNRegressor

QUICK = VGCNRegressor(trust=0.5, n_neighbors=5, hidden=32, max_iter=20)


@pytest.mark.filterwarnings('ignore')
@parametrize_with_checks([QUICK])
def test_it_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.fixture
def curve():
    r"""A noisy curve, of which one value of five is known."""
    rng = np.random.RandomState(0)
    x = rng.rand(300, 1) * 6
    truth = 50 + 10 * np.sin(x[:, 0])
    y = np.where(np.arange(300) % 5 == 0, truth + rng.randn(300), np.nan)
    return x, truth, y


def test_missing_values_are_predicted(curve):
    x, truth, y = curve
    reg = VGCNRegressor(max_iter=150, random_state=0).fit(x, y)
    known = ~np.isnan(y)
    assert (reg.transduction_[known] == y[known]).all()
    error = np.sqrt(np.mean((reg.transduction_ - truth)[~known] ** 2))
    assert error < 2
    assert reg.validation_score_ > 0.9
    assert np.corrcoef(reg.predict(x), truth)[0, 1] > 0.95


@pytest.mark.parametrize('missing', [None, pd.NA, float('nan')])
def test_missing_values_of_all_kinds(curve, missing):
    x, _, y = curve
    expected = QUICK.set_params(random_state=0).fit(x, y).transduction_
    other = [missing if np.isnan(value) else value for value in y]
    column = pd.Series(other, dtype='Float64')
    for given in (np.array(other, dtype=object), column):
        assert (QUICK.fit(x, given).transduction_ == expected).all()


def test_the_standard_deviation_covers_the_errors(curve, tmp_path):
    x, truth, y = curve
    known = ~np.isnan(y)
    reg = VGCNRegressor(max_iter=150, random_state=0).fit(x[known], y[known])
    mean, std = reg.predict(x[~known], return_std=True)
    assert (std >= reg.noise_).all()
    reg.save(tmp_path / 'model.vgcn')
    other = VGCNRegressor.load(tmp_path / 'model.vgcn')
    assert (other.predict(x[~known]) == mean).all()
    assert other.noise_ == reg.noise_
    z = (mean - truth[~known]) / std
    assert np.mean(np.abs(z) < 2) > 0.9


def test_real_data_are_about_as_good_as_a_linear_model():
    x, y = load_diabetes(return_X_y=True)
    known = np.random.RandomState(0).rand(len(y)) < 0.3
    reg = VGCNRegressor(random_state=0, max_iter=200)
    reg.fit(x, np.where(known, y, np.nan))
    linear = Ridge(0.1).fit(x[known], y[known])

    def r2(predicted):
        error = np.mean((predicted - y[~known]) ** 2)
        return 1 - error / np.var(y[~known])

    found = r2(reg.transduction_[~known])
    assert found > 0.3
    assert found > r2(linear.predict(x[~known])) - 0.1


@pytest.mark.parametrize(
    ('y', 'message'),
    [
        ([np.nan] * 299 + [1.0], 'at least two known values'),
        (['a'] * 300, 'must hold numbers'),
        ([np.inf] * 300, 'infinity'),
        ([1.0] * 200, 'inconsistent'),
    ],
)
def test_values_that_make_no_sense(curve, y, message):
    with pytest.raises(ValueError, match=message):
        QUICK.fit(curve[0], y)
