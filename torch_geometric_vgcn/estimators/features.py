from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor

#: From which share of zeros non-negative features are taken for counts.
ZEROS = 0.4


@dataclass(frozen=True)
class Features:
    r"""How rows become features of a network: counts (words, pixels), where
    directions matter, get rows of norm one; measurements get columns of mean
    zero and variance one. Sparse measurements stay sparse: they are scaled,
    but not centred.

    Args:
        counts (bool): Whether these are counts.
        mean (numpy.ndarray): The columns' means, zero for counts.
        scale (numpy.ndarray): The columns' standard deviations, one for
            counts.
    """

    counts: bool
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, X: Any, counts: bool | None = None) -> 'Features':  # noqa: N803
        if counts is None:
            counts = are_counts(X)
        width = X.shape[1]
        mean, scale = np.zeros(width), np.ones(width)
        if counts:
            return cls(True, mean, scale)
        if scipy.sparse.issparse(X):
            first = np.asarray(X.mean(axis=0)).ravel()
            second = np.asarray(X.multiply(X).mean(axis=0)).ravel()
            scale = np.sqrt(np.maximum(second - first**2, 0))
        else:
            # Columns of huge numbers are scaled first, or squares overflow:
            largest = np.abs(X).max(axis=0)
            unit = np.where(largest > 0, largest, 1.0)
            mean = (X / unit).mean(axis=0) * unit
            scale = (X / unit).std(axis=0) * unit
        return cls(
            False, mean, np.where(scale > 1e-12 * _size(mean), scale, 1)
        )

    def __call__(self, X: Any) -> Tensor:  # noqa: N803
        r"""The features, in double precision, dense or CSR."""
        if scipy.sparse.issparse(X) and self.mean.any():
            X = X.toarray()  # noqa: N806  # as centred as those before
        if scipy.sparse.issparse(X):
            rows = scipy.sparse.csr_array(X).astype(np.float64)
            if self.counts:
                size = np.sqrt(rows.multiply(rows).sum(axis=1)).ravel()
                rows = (
                    scipy.sparse.diags_array(1 / np.where(size > 0, size, 1))
                    @ rows
                )
            else:
                rows = rows @ scipy.sparse.diags_array(1 / self.scale)
            rows = scipy.sparse.csr_array(rows)
            rows.sort_indices()
            return torch.sparse_csr_tensor(
                torch.from_numpy(rows.indptr.astype(np.int64)),
                torch.from_numpy(rows.indices.astype(np.int64)),
                torch.from_numpy(rows.data),
                rows.shape,
                check_invariants=False,
            )
        rows = (np.asarray(X, dtype=np.float64) - self.mean) / self.scale
        if self.counts:
            largest = np.abs(rows).max(axis=1, keepdims=True)
            rows = rows / np.where(largest > 0, largest, 1)
            size = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = rows / np.where(size > 0, size, 1)
        return torch.from_numpy(rows)


def are_counts(X: Any) -> bool:  # noqa: N803
    r"""Whether features look like counts: none is negative, and many are
    zero.
    """
    if scipy.sparse.issparse(X):
        return X.nnz == 0 or bool(X.data.min() >= 0)
    return bool(X.min() >= 0) and float((X == 0).mean()) >= ZEROS


def _size(mean: np.ndarray) -> np.ndarray:
    return np.maximum(np.abs(mean), np.finfo(float).tiny)
