import numpy as np
import pandas as pd
import pytest

from torch_geometric_vgcn.estimators.labels import Labels


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
    labels = Labels.of(y, 4)
    assert labels.classes.tolist() == [1, 5]
    assert labels.code.tolist() == [0, -1, 1, -1]


def test_texts_and_what_is_missing():
    labels = Labels.of(['b', None, 'a', '', ' ', 'b', float('nan')], 7)
    assert labels.classes.tolist() == ['a', 'b']
    assert labels.code.tolist() == [1, -1, 0, -1, -1, 1, -1]


def test_words_that_files_use_for_missing_are_classes():
    r"""In an array nothing is guessed: NA may be Namibia."""
    assert Labels.of(['NA', 'DE', '?'], 3).code.tolist() == [2, 1, 0]


def test_truth_values_are_classes():
    assert Labels.of([True, False, True], 3).code.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ('y', 'message'),
    [
        (None, 'requires y to be passed'),
        ([-1, -1], 'only unknown ones'),
        ([3, -1], 'at least two classes, got one class'),
        ([0, 1, 2], 'one label for each of the 2 rows'),
        ([0.5, 1.7], 'Unknown label type'),
        ([np.inf, 1.0], "'?y'? contains infinity|contains infinity"),
    ],
)
def test_labels_that_make_no_sense(y, message):
    with pytest.raises(ValueError, match=message):
        Labels.of(y, 2)
