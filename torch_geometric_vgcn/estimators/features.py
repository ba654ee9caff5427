from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
import torch
from sklearn.decomposition import TruncatedSVD
from torch import Tensor

#: From which share of zeros non-negative features are taken for counts.
ZEROS = 0.4
#: By how much a column without zeros may exceed the others' largest entry.
FAR = 10.0
#: More columns than this are reduced to so many.
WIDE, REDUCED = 512, 200


@dataclass(frozen=True)
class Features:
    r"""How rows become features of a network. Counts (words, pixels), where
    directions matter, get rows of norm one; measurements get columns of mean
    zero and variance one, except for columns of zeros and ones (categories),
    which are scaled alike. Many columns are reduced by a truncated singular
    value decomposition. Rows without any count have no direction: a further
    column, if there are any, makes them as far from all others as rows that
    have nothing in common; at zero, they would be the nearest of all.

    Args:
        counts (bool): Whether these are counts.
        mean (numpy.ndarray): What is subtracted from the columns; zero for
            counts and for many columns of sparse measurements, which stay
            sparse.
        scale (numpy.ndarray): What the columns are divided by.
        basis (numpy.ndarray): The columns of the reduced features, or an
            empty matrix.
        centre (numpy.ndarray): The mean of the features after all this, and
            of the further column, if there is one.
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
        if width <= WIDE and scipy.sparse.issparse(X):
            X = X.toarray()  # noqa: N806
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
        if counts:
            some_empty = bool((abs(X).sum(axis=1) == 0).any())
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
            rows = rows * (np.sqrt(rows.shape[1]) / 2) - self.centre
        return torch.from_numpy(np.ascontiguousarray(rows, dtype=np.float64))

    def _scaled(self, X: Any) -> Any:  # noqa: N803
        if scipy.sparse.issparse(X):
            if self.mean.any():
                X = X.toarray()  # noqa: N806  # as centred as those before
            else:
                rows = scipy.sparse.csr_array(X).astype(np.float64)
                rows = rows @ scipy.sparse.diags_array(1 / self.scale)
                return _unit_rows(rows) if self.counts else rows
        rows = (np.asarray(X, dtype=np.float64) - self.mean) / self.scale
        return _unit_rows(rows) if self.counts else rows


def are_counts(X: Any) -> bool:  # noqa: N803
    r"""Whether features look like counts: none is negative, many are zero,
    and no column without zeros is of another size than the others.
    """
    if scipy.sparse.issparse(X):
        X = X.tocsc()  # noqa: N806
        if X.nnz and X.data.min() < 0:
            return False
        largest = X.max(axis=0).toarray().ravel()
        filled = np.diff(X.indptr) / X.shape[0]
    else:
        if X.min() < 0:
            return False
        largest = X.max(axis=0)
        filled = (X != 0).mean(axis=0)
        if 1 - filled.mean() < ZEROS:
            return False
    typical = np.median(largest[largest > 0]) if largest.any() else 1.0
    dense = filled > 0.5
    return not bool((dense & (largest > FAR * typical)).any())


def _location(X: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    if scipy.sparse.issparse(X):
        first = np.asarray(X.mean(axis=0)).ravel()
        second = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        scale = np.sqrt(np.maximum(second - first**2, 0))
        return np.zeros(X.shape[1]), _not_zero(scale, first)
    # Columns of huge numbers are scaled first, or squares overflow:
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    mean = (X / unit).mean(axis=0) * unit
    scale = (X / unit).std(axis=0) * unit
    binary = ((X == 0) | (X == 1)).all(axis=0) & (largest > 0)
    # The largest deviation that zeros and ones can have: rare ones don't
    # outweigh all else.
    scale = np.where(binary & (scale > 0), 0.5, scale)
    return mean, _not_zero(scale, mean)


def _not_zero(scale: np.ndarray, mean: np.ndarray) -> np.ndarray:
    size = np.maximum(np.abs(mean), np.finfo(float).tiny)
    return np.where(scale > 1e-12 * size, scale, 1.0)


def _unit_rows(rows: Any) -> Any:
    if scipy.sparse.issparse(rows):
        size = np.sqrt(rows.multiply(rows).sum(axis=1)).ravel()
        return scipy.sparse.diags_array(1 / np.where(size > 0, size, 1)) @ rows
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1)
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(size > 0, size, 1)
