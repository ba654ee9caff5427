from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
import torch
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.utils.sparsefuncs import mean_variance_axis
from torch import Tensor

from torch_geometric_vgcn.recipe.features import (
    REDUCED,
    WIDE,
    are_counts,
    bounds,
    filled,
)

#: Larger entries are clipped, so that their squares don't overflow.
LARGEST = 1e100


@dataclass(frozen=True)
class Features:
    r"""How rows become features of a network. Counts (words, pixels), where
    directions matter, get rows of norm one; measurements get columns of mean
    zero and variance one, except for columns of zeros and ones (categories),
    which are scaled alike. Many columns are reduced by a truncated singular
    value decomposition. Rows without any count have no direction: a further
    column, if there are any, makes them as far from all others as rows that
    have nothing in common; at zero, they would be the nearest of all.

    The same numbers give the same features, to the last bit, in a dense and
    in a sparse matrix: whether a matrix is held dense or sparse depends on
    its numbers. Up to 512 columns it is dense. More columns are sparse if
    they are counts, or if most of them have at least as many zeros as other
    entries: such columns are then divided by their standard deviation, but
    not centred.

    Args:
        counts (bool): Whether these are counts.
        mean (numpy.ndarray): What is subtracted from the columns; zero for
            counts and for columns that stay sparse.
        scale (numpy.ndarray): What the columns are divided by.
        basis (numpy.ndarray): The columns of the reduced features, or an
            empty matrix.
        centre (numpy.ndarray): The mean of the features after all this, and
            of the further column, if there is one. It is subtracted, so that
            a row's norm is its distance from the mean of the training rows.
    """

    counts: bool
    mean: np.ndarray
    scale: np.ndarray
    basis: np.ndarray
    centre: np.ndarray

    @classmethod
    def of(
        cls,
        X: Any,  # noqa: N803
        counts: bool | None = None,
        seed: int = 0,
    ) -> 'Features':
        if counts is None:
            counts = are_counts(X)
        width = X.shape[1]
        sparse = counts
        if width > WIDE and not counts:
            sparse = bool((2 * filled(X) <= X.shape[0]).mean() > 0.5)
        X = _held(X, sparse)  # noqa: N806
        mean, scale = np.zeros(width), np.ones(width)
        if not counts:
            mean, scale = _location(X)
        empty = np.zeros((width, 0))
        features = cls(counts, mean, scale, empty, np.zeros(1))
        if width > WIDE:
            size = min(REDUCED, X.shape[0] - 1)
            svd = TruncatedSVD(size, n_iter=2, random_state=seed)
            rows = features._scaled(X).astype(np.float32)
            basis = svd.fit(rows).components_.T.astype(np.float64)
            features = replace(features, basis=basis)
        if counts or width > WIDE:
            some_empty = counts and bool((abs(X).sum(axis=1) == 0).any())
            centre = np.zeros(features.width + some_empty)
            features = replace(features, centre=centre)
            centre = features(X).numpy().mean(axis=0)
            features = replace(features, centre=centre)
        return features

    @property
    def width(self) -> int:
        r"""The number of columns, without that of empty rows."""
        return self.basis.shape[1] or self.mean.size

    def __call__(self, X: Any) -> Tensor:  # noqa: N803
        r"""The features, dense, in double precision."""
        rows = self._scaled(X)
        if self.basis.size:
            rows = rows @ self.basis
            if self.counts:
                rows = _unit_rows(rows)
        if scipy.sparse.issparse(rows):
            rows = rows.toarray()
        if self.counts:
            if self.centre.size > self.width:
                empty = ~rows.any(axis=1, keepdims=True)
                rows = np.concatenate([rows, empty], axis=1)
            # Entries of about one, as those of measurements:
            rows = rows * (np.sqrt(rows.shape[1]) / 2)
        rows = rows - self.centre
        return torch.from_numpy(np.ascontiguousarray(rows, dtype=np.float64))

    @np.errstate(over='ignore')
    def _scaled(self, X: Any) -> Any:  # noqa: N803
        X = _held(X, (self.mean == 0).mean() > 0.5)  # noqa: N806
        # Halves, as the difference of huge numbers may overflow:
        if scipy.sparse.issparse(X):
            rows = X * 0.5 - _repeated(self.mean * 0.5, X.shape[0])
            rows.data /= self.scale[rows.indices] * 0.5
        else:
            rows = (X * 0.5 - self.mean * 0.5) / (self.scale * 0.5)
        return _unit_rows(rows) if self.counts else _clipped(rows)


def _held(X: Any, sparse: bool) -> Any:  # noqa: N803
    r"""The same numbers as a dense matrix, or as a sparse one if there are
    many columns.
    """
    if sparse and X.shape[1] > WIDE:
        return scipy.sparse.csr_array(X)
    return X.toarray() if scipy.sparse.issparse(X) else X


def _location(X: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    r"""What is subtracted from each column, and what it is divided by."""
    least, largest = bounds(X)
    # Columns of huge numbers are scaled first, or squares overflow:
    unit = np.maximum(np.abs(least), np.abs(largest))
    unit = np.where(unit > 0, unit, 1.0)
    if scipy.sparse.issparse(X):
        rows = scipy.sparse.csr_array(X, dtype=np.float64, copy=True)
        rows.data /= unit[rows.indices]
        mean, variance = mean_variance_axis(rows, axis=0)
        deviation = np.sqrt(variance)
        others = X.indices[(X.data != 0) & (X.data != 1)]
        binary = np.bincount(others, minlength=X.shape[1]) == 0
    else:
        mean, deviation = (X / unit).mean(axis=0), (X / unit).std(axis=0)
        binary = ((X == 0) | (X == 1)).all(axis=0)
    mean, scale = mean * unit, deviation * unit
    # The largest deviation that zeros and ones can have: rare ones don't
    # outweigh all else.
    scale = np.where(binary & (scale > 0), 0.5, scale)
    scale = _not_zero(scale, mean)
    if scipy.sparse.issparse(X):
        mean = np.where(2 * filled(X) > X.shape[0], mean, 0.0)
    return mean, scale


def _repeated(row: np.ndarray, size: int) -> scipy.sparse.csr_array:
    r"""So many copies of a row, as a sparse matrix."""
    col = row.nonzero()[0]
    start = np.arange(size + 1) * col.size
    parts = np.tile(row[col], size), np.tile(col, size), start
    return scipy.sparse.csr_array(parts, shape=(size, row.size))


def _not_zero(scale: np.ndarray, mean: np.ndarray) -> np.ndarray:
    size = np.maximum(np.abs(mean), np.finfo(float).tiny)
    return np.where(scale > 1e-12 * size, scale, 1.0)


def _clipped(rows: Any) -> Any:
    if scipy.sparse.issparse(rows):
        rows.data = rows.data.clip(-LARGEST, LARGEST)
        return rows
    return rows.clip(-LARGEST, LARGEST)


def _unit_rows(rows: Any) -> Any:
    # Their largest entry becomes one first, or squares overflow:
    if scipy.sparse.issparse(rows):
        largest = abs(rows).max(axis=1).toarray().ravel()
        largest = np.where(largest > 0, largest, 1)
        rows.data /= largest.repeat(np.diff(rows.indptr))
        return normalize(rows, copy=False)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1)
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(size > 0, size, 1)
