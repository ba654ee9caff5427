from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor


def as_numpy(x: Tensor) -> Any:
    r"""A matrix as an array, or as a sparse one of SciPy."""
    if x.dtype == torch.bfloat16:  # which NumPy doesn't have
        x = x.float()
    if x.layout == torch.strided:
        return x.numpy()
    x = x if x.layout == torch.sparse_csr else x.to_sparse_csr()
    index = np.int32 if x.values().numel() < 2**31 else np.int64
    return scipy.sparse.csr_matrix(
        (
            x.values().numpy(),
            x.col_indices().numpy().astype(index),
            x.crow_indices().numpy().astype(index),
        ),
        shape=tuple(x.shape),
    )


def canonical(x: Any) -> Any:
    r"""A sparse matrix as the sorted list of its entries that aren't zero,
    so that the same numbers are the same arrays. A matrix of the caller's is
    not changed.
    """
    if not scipy.sparse.issparse(x):
        return x
    if not x.has_canonical_format or not x.data.all():
        x = x.copy()
        x.sum_duplicates()
        x.eliminate_zeros()
    return x
