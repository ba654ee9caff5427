from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor


def as_numpy(x: Tensor) -> Any:
    r"""A matrix as an array, or as a sparse one of SciPy."""
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
