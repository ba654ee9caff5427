import numpy as np
import pandas as pd
import pytest

from torch_geometric_vgcn.estimators.labels import class_codes


@pytest.mark.parametrize(
    'y',
    [
        [1, -1, 5, -1],
        np.array([1.0, np.nan, 5.0, -1.0]),
        pd.Series([1, None, 5, None]),
        pd.Series([1, pd.NA, 5, -1], dtype='Int64'),
    ],
)
def test_numbers_and_what_is_missing(y):
    classes, code = class_codes(y, 4)
    assert classes.tolist() == [1, 5]
    assert code.tolist() == [0, -1, 1, -1]


def test_texts_and_what_is_missing():
    y = ['b', None, 'a', '', ' ', 'b', float('nan')]
    classes, code = class_codes(y, 7)
    assert classes.tolist() == ['a', 'b']
    assert code.tolist() == [1, -1, 0, -1, -1, 1, -1]


@pytest.mark.parametrize(
    ('y', 'codes'),
    [
        (['NA', 'DE', '?'], [2, 1, 0]),  # NA may be Namibia
        (['-1', '1', '10'], [0, 1, 2]),
        ([True, False, True], [1, 0, 1]),
    ],
)
def test_nothing_else_is_missing(y, codes):
    assert class_codes(y, 3)[1].tolist() == codes


@pytest.mark.parametrize('missing', [np.nan, -1, '<NA>'])
def test_what_texts_make_of_missing_values_is_refused(missing):
    y = np.array(['first', 'second', 'third'])
    y[1] = missing  # becomes a text, too
    with pytest.raises(ValueError, match="None or '' where .* got the text"):
        class_codes(y, 3)


@pytest.mark.parametrize(
    ('y', 'message'),
    [
        (None, 'requires y to be passed'),
        ([-1, -1], 'only unknown ones'),
        ([3, -1], r'one class \(3\) and 1 unknown labels; -1 is unknown'),
        ([0, 1, 2], 'one label for each of the 2 rows'),
        ([0.5, 1.7], 'Unknown label type'),
        ([np.inf, 1.0], "'?y'? contains infinity|contains infinity"),
    ],
)
def test_labels_that_make_no_sense(y, message):
    with pytest.raises(ValueError, match=message):
        class_codes(y, 2)
