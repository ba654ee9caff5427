from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

PARTS = ('data', 'indices', 'indptr', 'shape')


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    r"""The arrays of an npz file, except for those of Python objects, which
    are pickles and left unread.
    """
    out = {}
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                try:
                    out[name] = file[name]
                except ValueError as error:
                    if 'allow_pickle' not in str(error):
                        raise
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever a damaged file may cause
        raise ValueError(
            f"'{path}' must be a file of NumPy arrays (npz), got one that "
            f"can't be read ({error})"
        ) from error
    return out


def as_matrix(
    arrays: Mapping[str, np.ndarray], path: Path, prefix: str = ''
) -> csr_matrix:
    r"""The sparse matrix of the arrays :obj:`{prefix}data`,
    :obj:`{prefix}indices`, :obj:`{prefix}indptr` and :obj:`{prefix}shape`.
    """
    names = [prefix + part for part in PARTS]
    if not set(names) <= set(arrays):
        raise ValueError(
            f"'{path}' must hold the arrays {names} of a sparse matrix, got "
            f'{list(arrays)}'
        )
    data, indices, indptr, shape = (arrays[name] for name in names)
    try:
        matrix = csr_matrix(
            (data, indices, indptr), shape=tuple(shape.tolist())
        )
        matrix.check_format(full_check=True)
        finite = bool(np.isfinite(matrix.data).all())
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"'{path}' must hold a sparse matrix in {names}, got arrays that "
            f"don't fit together ({error})"
        ) from error
    if not finite:
        raise ValueError(f"'{path}' must be finite, got {names[0]} with NaN")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix
