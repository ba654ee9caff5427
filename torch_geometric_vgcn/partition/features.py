r"""Features of any kind, of which some rows at a time are read."""

import os
import zipfile
from pathlib import Path
from shutil import copyfileobj
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from torch_geometric_vgcn.utils import check_path


def as_array(value: Any, name: str) -> np.ndarray:
    r"""An array, a tensor's memory, or an :obj:`.npy` file as memory map."""
    if isinstance(value, Tensor):
        if value.layout != torch.strided:
            raise TypeError(f"'{name}' must be dense, got {value.layout}")
        return value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (str, os.PathLike)):
        path = check_path(value, name)
        try:
            return np.load(path, mmap_mode='r', allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"'{name}' must be a readable .npy file, got {path}: {error}"
            ) from error
    raise TypeError(
        f"'{name}' must be a Tensor, an array or the path of an .npy file, "
        f'got {type(value).__name__}'
    )


def as_rows(x: Any, scratch: Path) -> np.ndarray | sparse.csr_matrix:
    r"""Features that can be indexed by rows: an array, or compressed rows.
    Memory maps stay so; a SciPy :obj:`.npz` file is unpacked to
    :obj:`scratch` and mapped from there.
    """
    if isinstance(x, Tensor) and x.layout != torch.strided:
        x = x.to_sparse_csr()
        parts = (x.values(), x.col_indices(), x.crow_indices())
        size = tuple(x.shape)
        x = sparse.csr_matrix(tuple(part.numpy() for part in parts), size)
    elif isinstance(x, (str, os.PathLike)) and str(x).endswith('.npz'):
        x = _unpacked(Path(x), scratch)
    if sparse.issparse(x):
        x = x.tocsr()
    else:
        x = as_array(x, 'x')
    if x.ndim != 2:
        raise ValueError(f"'x' must have shape [N, F], got {list(x.shape)}")
    if not np.issubdtype(x.dtype, np.floating):
        raise TypeError(f"'x' must be floating point, got {x.dtype}")
    return x


def _unpacked(path: Path, scratch: Path) -> sparse.csr_matrix:
    r"""The matrix of a file of :func:`scipy.sparse.save_npz`, as memory
    maps.
    """
    names = ('data', 'indices', 'indptr', 'shape', 'format')
    try:
        with zipfile.ZipFile(path) as file:
            for name in names:
                with (
                    file.open(f'{name}.npy') as source,
                    open(scratch / f'{name}.npy', 'wb') as target,
                ):
                    copyfileobj(source, target)
        data, indices, indptr, shape, kind = (
            np.load(scratch / f'{name}.npy', 'r' if i < 3 else None)
            for i, name in enumerate(names)
        )
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(
            "'x' must be a readable file of scipy.sparse.save_npz in "
            f'compressed rows (CSR), got {path}: {error}'
        ) from error
    if kind.item() not in ('csr', b'csr'):
        raise ValueError(
            "'x' must be in compressed rows (CSR), got "
            f'{kind.item()!r} in {path}'
        )
    return sparse.csr_matrix((data, indices, indptr), tuple(shape))
