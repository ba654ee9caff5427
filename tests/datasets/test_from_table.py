import math
import re
import warnings

import numpy as np
import pytest
import torch
from sklearn.preprocessing import scale

from torch_geometric_vgcn.datasets import from_table


@pytest.fixture
def table():
    return {
        'name': ['Ada', 'Ben', 'Cai', 'Dan'],
        'age': [30, 40, 50, 60],
        'city': ['Oslo', 'Rome', 'Oslo', 'Rome'],
        'vote': ['yes', None, 'no', math.nan],
    }


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'people.csv'
    path.write_text('age,city,vote\n30,Oslo,yes\n40,"Rome",\n50,Oslo,no\n')
    return path


def test_numbers_and_categories_become_features(table):
    data = from_table(table, 'vote', drop=['name'], standardize=False)
    assert data.feature_names == ['age', 'city=Oslo', 'city=Rome']
    expected = [[30, 1, 0], [40, 0, 1], [50, 1, 0], [60, 0, 1]]
    assert data.x.tolist() == expected
    assert data.x.dtype == torch.float


def test_blank_labels_are_unknown(table):
    data = from_table(table, 'vote', drop='name')
    assert data.class_names == ['no', 'yes']
    assert data.y.tolist() == [1, -1, 0, -1]
    assert data.train_mask.tolist() == [True, False, True, False]


def test_numbers_are_standardised(table):
    x = from_table(table, 'vote', drop=['name']).x
    expected = torch.from_numpy(scale([30.0, 40, 50, 60])).float()
    assert torch.allclose(x[:, 0], expected)
    assert x[:, 1].tolist() == [1, 0, 1, 0]


def test_a_file_is_read_like_a_table(file):
    data = from_table(file, 'vote', standardize=False)
    assert data.x.tolist() == [[30, 1, 0], [40, 0, 1], [50, 1, 0]]
    assert data.y.tolist() == [1, -1, 0]
    assert from_table(str(file), 'vote').y.tolist() == [1, -1, 0]


def test_number_labels_keep_their_order(table):
    table['vote'] = [10.0, 9.0, math.nan, 9.0]  # as pandas has them
    data = from_table(table, 'vote', drop=['name'])
    assert data.class_names == ['9', '10']
    assert data.y.tolist() == [1, 0, -1, 0]


def test_a_data_frame_is_read_like_a_table(table):
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame(table)
    expected = from_table(table, 'vote', drop=['name'])
    for column in (frame['vote'], frame['vote'].astype('string')):
        data = from_table(frame.assign(vote=column), 'vote', drop=['name'])
        assert torch.equal(data.x, expected.x)
        assert torch.equal(data.y, expected.y)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (
            {'age': [1, None, 3, math.nan]},
            "'age'.* 2 missing: 1 × 'None', 1 × 'nan',.* row 1",
        ),
        ({'age': [1, 2, 3, math.inf]}, "'age' must be finite"),
        ({'city': ['a', 'b', 'c', 'd']}, "'city' has a different text"),
        ({'age': [1, 2, 3]}, 'equally many rows'),
        ({'vote': [None] * 4}, r"'vote' must hold.* got \[\]"),
        ({'vote': ['yes', None, 'yes', '']}, "at least two.*'yes'"),
    ],
)
def test_bad_columns_are_refused(table, change, message):
    with pytest.raises(ValueError, match=message):
        from_table(table | change, 'vote', drop=['name'])


def test_unknown_columns_are_refused(table):
    with pytest.raises(ValueError, match="'label' must be.*got 'party'"):
        from_table(table, 'party')
    with pytest.raises(ValueError, match="'drop' must be.*got 'id'"):
        from_table(table, 'vote', drop=['id'])
    with pytest.raises(ValueError, match='column of features besides'):
        from_table(table, 'vote', drop=['name', 'age', 'city'])


def test_a_broken_file_is_refused(file):
    file.write_text('a,b\n1,2\n3\n')
    for text in ('a,b\n1,2\n3\n', 'a,b\n1,2\n3,4,5\n'):
        file.write_text(text)
        message = "people.csv' must be a CSV file with 2 cells"
        with pytest.raises(ValueError, match=message):
            from_table(file, 'b')
    file.write_text('a,a\n1,2\n')
    with pytest.raises(ValueError, match='each column differently'):
        from_table(file, 'a')
    file.write_text('a,b\n')
    with pytest.raises(ValueError, match='at least one'):
        from_table(file, 'b')
    for drop in (3, torch.tensor(0.5), {'b': 1}):
        with pytest.raises(TypeError, match="'drop' must be a list"):
            from_table({'a': [1], 'b': [2]}, 'b', drop=drop)
    with pytest.raises(TypeError, match='got list'):
        from_table([[1, 2]], 'b')


MARKERS = [
    'NA',
    'N/A',
    'null',
    'NULL',
    'None',
    '?',
    '',
    ' nan ',
    '#N/A',
    '<NA>',
]


@pytest.mark.parametrize('marker', [*MARKERS, None, math.nan])
def test_what_pandas_takes_as_missing_is_missing(table, marker):
    table['vote'] = ['yes', 'no', marker, 'yes']
    data = from_table(table, 'vote', drop=['name'])
    assert data.class_names == ['no', 'yes']
    assert data.y.tolist() == [1, 0, -1, 1]
    assert data.missing == {'vote': {str(marker).strip(): 1}}


@pytest.mark.parametrize('marker', MARKERS)
def test_a_number_column_with_a_gap_is_never_one_hot(table, marker):
    table['age'] = ['30', '40', marker, '30']
    message = f"'age'.* 1 missing: 1 × '{re.escape(marker.strip())}'.* row 2"
    with pytest.raises(ValueError, match=message):
        from_table(table, 'vote', drop=['name'])


def test_numbers_and_text_in_one_column_are_refused(table):
    table['age'] = ['30', '40', 'unknown', '30']
    with pytest.raises(
        ValueError, match="'age'.* both: 3 .*'unknown' in row 2"
    ):
        from_table(table, 'vote', drop=['name'])


def test_missing_features_can_be_filled(table):
    table['age'] = [30, None, 50, 70]
    table['city'] = ['Oslo', 'Rome', '', 'Rome']
    options = {'drop': ['name'], 'fill': True}
    data = from_table(table, 'vote', **options, standardize=False)
    assert data.feature_names == [
        'age', 'age is missing', 'city=Oslo', 'city=Rome', 'city is missing',
    ]  # fmt: skip
    assert data.x.tolist() == [
        [30, 0, 1, 0, 0],
        [50, 1, 0, 1, 0],
        [50, 0, 0, 0, 1],
        [70, 0, 0, 1, 0],
    ]
    assert data.missing['age'] == {'None': 1}
    assert data.missing['city'] == {'': 1}
    x = from_table(table, 'vote', **options).x[:, 0]
    assert x[1].item() == pytest.approx(0)  # the mean
    assert x.tolist() != [0, 0, 0, 0]
    table['age'] = [None] * 4
    with pytest.raises(ValueError, match="'age' must have a value"):
        from_table(table, 'vote', **options)


@pytest.mark.parametrize('order', [1, -1, 7])
def test_numbers_of_rows_are_suspicious(order):
    number = [1 + order * row % 20 for row in range(20)]
    table = {'id': number, 'age': [30, 40] * 10, 'vote': ['yes', 'no'] * 10}
    with pytest.warns(UserWarning, match=r"'id' has each number from 1 to 20"):
        from_table(table, 'vote')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        from_table(table, 'vote', drop=['id'])


TEXT = ' age , city,vote\r\n30,Malmö,yes\r\n40,Rome,\r\n50,Malmö,no\r\n'


@pytest.mark.parametrize(
    ('written', 'stated'),
    [
        ('utf-8', 'utf-8'),
        ('utf-8-sig', 'utf-8'),
        ('utf-16', 'utf-16'),
        ('utf-16-le', 'utf-16-le'),
        ('latin-1', 'latin-1'),
    ],
)
@pytest.mark.parametrize('end', ['', '\r\n\r\n', '  \r\n'])
def test_marks_blank_lines_and_spaces_are_no_cells(file, written, stated, end):
    mark = '\ufeff' if written == 'utf-16-le' else ''
    file.write_bytes((mark + TEXT + end).encode(written))
    data = from_table(file, 'vote', standardize=False, encoding=stated)
    assert data.feature_names == ['age', 'city=Malmö', 'city=Rome']
    assert data.x.tolist() == [[30, 1, 0], [40, 0, 1], [50, 1, 0]]
    assert data.y.tolist() == [1, -1, 0]


@pytest.mark.parametrize('delimiter', [';', '\t', '|'])
def test_files_may_have_other_delimiters(file, delimiter):
    expected = from_table(file, 'vote', standardize=False)
    file.write_text(file.read_text().replace(',', delimiter))
    data = from_table(file, 'vote', standardize=False)
    assert data.feature_names == expected.feature_names
    assert torch.equal(data.x, expected.x)


def test_decimal_commas(file):
    file.write_text('age;kind;vote\n1,5;a,b;yes\n2;c;no\n-0,25;a,b;\n')
    data = from_table(file, 'vote', standardize=False)
    assert data.x[:, 0].tolist() == [1.5, 2, -0.25]
    assert data.feature_names == ['age', 'kind=a,b', 'kind=c']


@pytest.mark.parametrize('text', ['1,234', '1,234,567.5', '1,5'])
def test_numbers_that_may_be_meant_in_two_ways_are_refused(table, text):
    table['age'] = ['30', '40', text, text]
    with pytest.raises(ValueError, match=f"'age'.*point.*'{text}' in row 2"):
        from_table(table, 'vote', drop=['name'])


def test_thousands_in_a_file_are_refused_unless_they_are_dropped(file):
    file.write_text('age;n;vote\n1,234;1;yes\n2,345;2;no\n999;3;\n')
    with pytest.raises(ValueError, match="'age' must hold numbers with a"):
        from_table(file, 'vote')
    assert from_table(file, 'vote', drop=['age']).feature_names == ['n']


def test_another_encoding_must_be_stated(file):
    file.write_bytes(TEXT.encode('latin-1'))
    with pytest.raises(
        ValueError, match="people.csv' isn't utf-8.*'encoding'"
    ):
        from_table(file, 'vote')
    with pytest.raises(ValueError, match="'encoding' must.* got 'klingon'"):
        from_table(file, 'vote', encoding='klingon')


def test_what_is_no_file_is_refused(file, tmp_path):
    with pytest.raises(FileNotFoundError, match="'table' must be a file"):
        from_table(tmp_path / 'nowhere.csv', 'vote')
    with pytest.raises(IsADirectoryError, match="'table' must be a file"):
        from_table(tmp_path, 'vote')
    file.write_text('\n\n')
    with pytest.raises(ValueError, match="people.csv'.* an empty file"):
        from_table(file, 'vote')


@pytest.mark.parametrize(
    ('column', 'message'),
    [
        ('abc', "'age' of 'table' must be a list, got str"),
        (7, "'age' of 'table' must be a list, got int"),
        ([[1], [2], [3], np.ones(2)], 'single values.* of type ndarray'),
    ],
)
def test_cells_are_single_values(table, column, message):
    table['age'] = column
    with pytest.raises((TypeError, ValueError), match=message):
        from_table(table, 'vote', drop=['name'])


def test_arrays_and_tensors_are_columns_too(table):
    expected = from_table(table, 'vote', drop=['name']).x
    for column in (np.array(table['age']), torch.tensor(table['age'])):
        table['age'] = column
        assert torch.equal(from_table(table, 'vote', drop='name').x, expected)


@pytest.mark.parametrize('value', [0.1, 1e300, -7.0])
def test_any_constant_column_is_zero(table, value):
    table['age'] = [value] * 4  # whose mean isn't always the value itself
    assert from_table(table, 'vote', drop='name').x[:, 0].tolist() == [0] * 4


def test_large_numbers_are_standardised_without_overflow(table):
    table['age'] = [1e308, -1e308, 1e308, -1e308]
    x = from_table(table, 'vote', drop='name').x
    assert x[:, 0].tolist() == [1, -1, 1, -1]
    with pytest.raises(ValueError, match="'age' must be finite as float32"):
        from_table(table, 'vote', drop='name', standardize=False)
