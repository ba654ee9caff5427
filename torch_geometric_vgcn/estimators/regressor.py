from typing import Any

import numpy as np
import torch
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import _check_y, check_consistent_length

from torch_geometric_vgcn.datasets.missing import is_missing
from torch_geometric_vgcn.estimators.base import VGCNEstimator
from torch_geometric_vgcn.estimators.labels import check_given, column_or_1d

#: Predictions of larger numbers may be infinite.
LARGEST = 1e305


class VGCNRegressor(RegressorMixin, VGCNEstimator):
    r"""Predicts a quantity for the rows of a table of which some values are
    missing, with a graph that it learns: :class:`VGCNClassifier` for numbers.

    .. code-block:: python

        reg = VGCNRegressor(random_state=0)
        reg.fit(X, y)  # y is NaN where it isn't known
        reg.transduction_  # the values of all rows of X
        mean, std = reg.predict(X_new, return_std=True)

    Args:
        **kwargs: The parameters of :class:`VGCNClassifier`.

    Attributes:
        transduction_ (numpy.ndarray): The value of each row of :meth:`fit`:
            the known or the predicted one.
        noise_ (float): The standard deviation of the errors on held-out
            values.
        validation_score_ (float): The :math:`R^2` of the choice on held-out
            values.

    The others are those of :class:`VGCNClassifier`.
    """

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        graph: Any = None,
    ) -> 'VGCNRegressor':
        r"""Learns the values of all rows.

        Args:
            X (array, sparse matrix or DataFrame): The features, one row for
                each example.
            y (array): The values; NaN, :obj:`None` or :obj:`pandas.NA` where
                they aren't known.
            graph (optional): A graph of the rows that may be wrong, as for
                :class:`VGCNClassifier`. (default: :obj:`None`)
        """
        X, given = self._table(X, graph)  # noqa: N806
        value = _values(y)
        check_consistent_length(X, value)
        known = ~np.isnan(value)
        if known.sum() < 2:
            raise ValueError(
                "'y' must have at least two known values, got "
                f'{int(known.sum())} and {int((~known).sum())} missing ones'
            )
        self._mean, self._scale = _location(value[known])
        unit = np.where(known, 0.0, np.nan)
        if self._scale > 0:
            unit[known] = (value[known] - self._mean) / self._scale
        unit_ = torch.from_numpy(unit).float()
        mean, weight = self._learn(X, unit_, given)
        held = self.model_.held_out_prob_[:, 0].double().numpy()
        if self._scale == 0:  # all are alike, and predicted as such
            held, mean = np.zeros_like(held), torch.zeros_like(mean)
        truth = unit[self.validation_rows_]
        error = float(np.sqrt(np.mean((held - truth) ** 2)))
        self.noise_ = error * self._scale
        self.validation_score_ = float(r2_score(truth, held))
        expected = (weight * mean.double())[:, 0].numpy()
        expected = expected * self._scale + self._mean
        self.transduction_ = np.where(known, value, expected)
        return self

    def predict(
        self,
        X: Any,  # noqa: N803
        return_std: bool = False,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        r"""The expected value of each row, and how far from it the value may
        be: the standard deviation of the noise and of the uncertain graph.
        Both approach those of the known values for a row that is farther from
        the mean of the training rows than each of them.

        Args:
            X (array, sparse matrix or DataFrame): The features.
            return_std (bool, optional): Whether to return the standard
                deviation, too. (default: :obj:`False`)
        """
        mean, weight = (part[:, 0].numpy() for part in self._expected(X))
        expected = weight * mean * self._scale + self._mean
        if not return_std:
            return expected
        # Of the mixture with values of mean zero and variance one:
        beyond = np.sqrt((1 - weight) * (1 + weight * mean**2)) * self._scale
        return expected, np.hypot(np.sqrt(weight) * self.noise_, beyond)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        r"""The :math:`R^2` of the predictions."""
        return r2(y, self.predict(X), sample_weight)


def r2(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    r"""The :math:`R^2`, which has no unit, of values of any size."""
    y = np.asarray(y, dtype=np.float64)
    size = _size(y)
    return r2_score(y / size, predicted / size, sample_weight=sample_weight)


def _size(value: np.ndarray) -> float:
    r"""A power of two, which changes no digit, of the size of values."""
    exponent = np.frexp(np.abs(value).max(initial=0.0))[1]
    return float(np.ldexp(1.0, exponent))


def _location(value: np.ndarray) -> tuple[float, float]:
    r"""The mean and the standard deviation of values, which is zero if all
    are the same.
    """
    if (value == value[0]).all():
        return float(value[0]), 0.0
    size = _size(value)  # or squares over- or underflow
    unit = value / size
    return float(unit.mean() * size), float(unit.std() * size)


def _values(y: Any) -> np.ndarray:
    check_given(y)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == 'O':
        y = np.array([np.nan if is_missing(v) else v for v in y])
    if y.dtype.kind not in 'iufb':
        raise ValueError(f"'y' must hold numbers, got {y.dtype}")
    y = y.astype(np.float64)
    missing = np.isnan(y)
    known = _check_y(np.where(missing, 0, y), y_numeric=True)
    if np.abs(known).max(initial=0.0) > LARGEST:
        raise ValueError(
            f"'y' must hold numbers up to {LARGEST:g}, so that predictions "
            f'are finite, got {known[np.abs(known).argmax()]:g}'
        )
    return np.where(missing, np.nan, known)
