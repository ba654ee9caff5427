import re
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils import column_or_1d as as_column
from sklearn.utils.multiclass import check_classification_targets

from torch_geometric_vgcn.datasets.missing import is_missing

#: More different numbers than this may be quantities instead of classes.
MANY = 20


def class_codes(y: Any, num_rows: int) -> tuple[np.ndarray, np.ndarray]:
    r"""The classes, sorted, and the index of each row's class, or :obj:`-1`
    where it isn't known: at :obj:`-1`, NaN, :obj:`None`, :obj:`pandas.NA` and
    an empty text.
    """
    check_given(y)
    y = column_or_1d(y, warn=True)
    if y.shape[0] != num_rows:
        raise ValueError(
            f"'y' must have one label for each of the {num_rows} rows of "
            f"'X', got inconsistent numbers: {y.shape[0]} labels"
        )
    if y.dtype.kind == 'f':
        assert_all_finite(y, allow_nan=True, input_name='y')
    known = ~unknown(y)
    if not known.any():
        raise ValueError(
            "'y' must have labels, got only unknown ones (-1 or missing)"
        )
    found = y[known]
    if found.dtype.kind == 'O':
        found = np.array(found.tolist())  # a type that fits all
    check_classification_targets(found)
    classes, place = np.unique(found, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            "'y' must hold at least two classes, got one class "
            f'({classes[0]}) and {int((~known).sum())} unknown labels; '
            '-1 is unknown: if it is a class, give it another name'
        )
    _check_texts(classes)
    code = np.full(y.shape[0], -1, dtype=np.int64)
    code[known] = place
    return classes, code


def check_given(y: Any) -> None:
    r"""Expects labels, in the words that scikit-learn looks for."""
    if y is None:
        raise ValueError(
            'This VGCN estimator requires y to be passed, but the target y is '
            'None.'
        )


def _check_texts(classes: np.ndarray) -> None:
    r"""Refuses what becomes of unknown labels in an array of texts, as by
    :obj:`y[hidden] = np.nan`.
    """
    if classes.dtype.kind != 'U':
        return
    made = {'nan', '<NA>'}
    if not all(re.fullmatch(r'-?\d+', name) for name in classes):
        made.add('-1')  # beside other numbers it is one of them
    found = made.intersection(classes.tolist())
    if found:
        raise ValueError(
            "'y' must have None or '' where a label is unknown beside texts, "
            f'got the text {min(found)!r}: if that is a class, give it '
            'another name'
        )


def column_or_1d(y: Any, warn: bool = False) -> np.ndarray:
    r"""Labels as an array. What a masked array hides is :obj:`None`."""
    if isinstance(y, np.ma.MaskedArray):
        hidden, y = np.ma.getmaskarray(y), np.array(y, dtype=object)
        y[hidden] = None
    return as_column(y, warn=warn)


def unknown(y: np.ndarray) -> np.ndarray:
    r"""Which labels aren't known, as a mask."""
    if y.dtype.kind == 'b':
        return np.zeros(y.shape, dtype=bool)
    if y.dtype.kind in 'iu':
        return y == -1
    if y.dtype.kind == 'f':
        return (y == -1) | np.isnan(y)
    return np.array([_is_unknown(value) for value in y], dtype=bool)


def _is_unknown(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (bool, np.bool_)):
        return False
    return is_missing(value) or value == -1
