import sys

import pytest

from torch_geometric_vgcn.datasets import from_table

pandas = pytest.importorskip('pandas')


@pytest.fixture
def file(tmp_path):
    pytest.importorskip('pyarrow')
    path = tmp_path / 'people.parquet'
    columns = {
        'age': [30, 40, 50],
        'city': ['Oslo', 'Rome', 'Oslo'],
        'vote': ['yes', None, 'no'],
    }
    pandas.DataFrame(columns, index=[5, 6, 7]).to_parquet(path)
    return path


def test_columns_are_read_without_the_index(file):
    data = from_table(file, 'vote', standardize=False)
    assert data.feature_names == ['age', 'city=Oslo', 'city=Rome']
    assert data.x[:, 0].tolist() == [30, 40, 50]
    assert data.y.tolist() == [1, -1, 0]
    assert data.missing == {'vote': {'None': 1}}


def test_without_a_reader_it_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow.parquet', None)
    with pytest.raises(ImportError, match='needs the package pyarrow.*tables'):
        from_table(file, 'vote')
    file.write_text('a,b\n1,x\n2,y\n')
    monkeypatch.setitem(sys.modules, 'pyarrow.csv', None)
    with pytest.raises(ImportError, match='needs the package pyarrow.*tables'):
        from_table(file, 'b')


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / 'broken.parquet'
    path.write_bytes(b'PAR1 nothing PAR1')
    with pytest.raises(ValueError, match="broken.parquet' must be a Parquet"):
        from_table(path, 'vote')


def test_a_table_that_starts_alike_is_text(tmp_path):
    path = tmp_path / 'mine.csv'
    path.write_text('PAR1,vote\n3,a\n4,b\n')
    assert from_table(path, 'vote').feature_names == ['PAR1']
