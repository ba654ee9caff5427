"""Tables whose columns can't be told apart are refused by name."""

import io
import re

import numpy as np
import pytest

from torch_geometric_vgcn.datasets import from_table
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor

COUNT = 500


def names_of(error):
    r"""What a message says, without the names of arguments and files."""
    return re.findall(r"'(\w+)'", str(error.value))


def parquet_with_duplicates():
    pyarrow = pytest.importorskip('pyarrow')
    parquet = pytest.importorskip('pyarrow.parquet')
    file, columns = io.BytesIO(), [[1, 2], [3, 4], ['x', 'y']]
    table = pyarrow.table(columns, names=['size', 'size', 'kind'])
    parquet.write_table(table, file)
    return file.getvalue()


def test_columns_of_a_csv_file_that_have_one_name_are_named(tmp_path):
    many = [f'c{number}' for number in range(COUNT)]
    path = tmp_path / 'mine.csv'
    lines = [['size', *many, 'size ', 'kind']]
    lines += [[str(n) for n in range(COUNT + 2)] + [kind] for kind in 'xy']
    path.write_text('\n'.join(map(','.join, lines)))
    with pytest.raises(ValueError, match="'size'") as error:
        from_table(path, 'kind')
    assert 'c17' not in names_of(error)  # which are told apart


def test_columns_of_a_parquet_file_that_have_one_name_are_named(tmp_path):
    path = tmp_path / 'mine.parquet'
    path.write_bytes(parquet_with_duplicates())
    with pytest.raises(ValueError, match="'size'") as error:
        from_table(path, 'kind')
    assert 'name' in str(error.value) and 'kind' not in names_of(error)


@pytest.mark.parametrize(
    'names', [['size', 'size', 'kind'], [1, '1', 'kind']], ids=str
)
def test_columns_of_a_data_frame_that_have_one_name_are_named(names):
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame([[1, 2, 'x'], [3, 4, 'y']], columns=names)
    with pytest.raises(ValueError, match=f"'{names[0]}'"):
        from_table(frame, 'kind')


@pytest.mark.parametrize('kind', [VGCNClassifier, VGCNRegressor])
def test_an_estimator_names_columns_that_have_one_name(kind):
    pandas = pytest.importorskip('pandas')
    x, y = np.random.RandomState(0).randn(12, 3), np.arange(12) % 2
    same = pandas.DataFrame(x, columns=['size', 'cost', 'size'])
    estimator = kind(trust=0.1, max_iter=2, random_state=0)
    with pytest.raises(ValueError, match="^'X' .*'size'") as error:
        estimator.fit(same, y)
    assert 'cost' not in names_of(error)
    estimator.fit(x, y)
    with pytest.raises(ValueError, match="^'X' .*'size'"):
        estimator.predict(same)
