"""The command writes over nothing that it reads or has written, and names
its options as they are given.
"""

import os
import re
from pathlib import Path

import pytest

from torch_geometric_vgcn.__main__ import main

OPTIONS = ('out', 'name', 'drop', 'report', 'model', 'encoding', 'fill')
OPTIONS += ('quantity', 'label', 'seed')
LINES = ['id,size,cost,kind']
LINES += [f'n{row},{row % 7},{row % 5},{"xy"[row % 2]}' for row in range(8)]
LINES += [f'n{row},{row % 7},{row % 5},' for row in range(8, 12)]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / 'mine.csv'
    path.write_text('\n'.join(LINES))
    return path


def refused(capsys, *arguments):
    r"""What the command says, after which it writes nothing."""
    before = contents()
    with pytest.raises(SystemExit) as exit_:
        main([*arguments, '--label', 'kind'])
    assert exit_.value.code == 1
    assert contents() == before
    return capsys.readouterr().err


def contents():
    return {p: p.read_bytes() for p in Path().rglob('*') if p.is_file()}


def spellings(path):
    r"""Other names of a file."""
    folder = path.parent / 'folder'
    folder.mkdir()
    (folder / 'symbolic').symlink_to(path)
    (folder / 'twice').symlink_to(folder / 'symbolic')
    (folder / 'relative').symlink_to(f'../{path.name}')
    (path.parent / 'elsewhere').symlink_to(path.parent)
    os.link(path, folder / 'hard')
    return {
        'same': path.name,
        'whole': str(path),
        'dots': f'folder/../{path.name}',
        'slashes': f'.//{path.name}',
        'symbolic': 'folder/symbolic',
        'symbolic twice': 'folder/twice',
        'symbolic relative': 'folder/relative',
        'symbolic folder': f'elsewhere/{path.name}',
        'hard': 'folder/hard',
    }


SPELLINGS = (
    'same', 'whole', 'dots', 'slashes', 'symbolic', 'symbolic twice',
    'symbolic relative', 'symbolic folder', 'hard',
)  # fmt: skip


@pytest.mark.parametrize('option', ['--out', '--report', '--model'])
@pytest.mark.parametrize('spelling', SPELLINGS)
def test_the_table_is_not_written_over(table, capsys, option, spelling):
    path = spellings(table)[spelling]
    told = refused(capsys, 'mine.csv', '--drop', 'id', option, path)
    assert option in told and Path(path).name in told


def test_the_table_is_not_written_over_by_the_graph(table, capsys):
    table.rename('mine.edges.csv')
    told = refused(
        capsys, 'mine.edges.csv', '--drop', 'id', '--out', 'mine.csv'
    )
    assert '--out' in told and 'mine.edges.csv' in told


def test_the_table_is_not_written_over_by_default(table, capsys):
    table.rename('predictions.csv')
    told = refused(capsys, 'predictions.csv', '--drop', 'id')
    assert '--out' in told and 'predictions.csv' in told


@pytest.mark.parametrize(
    'files',
    [
        {'--out': 'one', '--report': 'one'},
        {'--out': 'one', '--model': './one'},
        {'--report': 'new/../one', '--model': 'one'},
        {'--out': 'one.csv', '--report': 'one.edges.csv'},
        {'--out': 'one.csv', '--model': 'link'},
        {'--report': 'link', '--model': 'one.csv'},
    ],
    ids=lambda files: ' '.join(files.values()),
)
def test_no_output_is_written_over_another(table, capsys, files):
    Path('new').mkdir()
    Path('link').symlink_to('one.csv')  # which isn't there yet
    given = [part for pair in files.items() for part in pair]
    told = refused(capsys, 'mine.csv', '--drop', 'id', *given)
    assert all(option in told for option in files)


@pytest.mark.parametrize('option', ['--out', '--report', '--model'])
def test_what_can_not_be_written_is_refused_before_training(
    table, capsys, option
):
    Path('folder').mkdir()
    for path in ('folder', 'none/file', 'mine.csv/file', ''):
        told = refused(capsys, 'mine.csv', '--drop', 'id', option, path)
        assert option in told and Path(path).name in told


@pytest.mark.parametrize(
    ('arguments', 'option'),
    [
        ('mine.csv', '--drop'),  # a text of its own in each row
        ('mine.csv --drop colour', '--drop'),
        ('mine.csv --drop id --name colour', '--name'),
        ('mine.csv --drop id --seed -1', '--seed'),
        ('mine.csv --drop id --seed 99999999999', '--seed'),
        ('mine.csv --drop id --encoding none', '--encoding'),
        ('mine.csv --drop id --encoding utf-16', '--encoding'),
        ('mine.csv --drop id --quantity --report r', '--report'),
        ('gap.csv --drop id', '--fill'),
        ('mixed.csv --drop id', '--drop'),
        ('quantities.csv --drop id', '--quantity'),
        ('colour.csv', '--label'),
    ],
)
def test_errors_name_options_as_they_are_given(
    table, capsys, arguments, option
):
    def changed(name, change):
        lines = [LINES[0], *map(change, LINES[1:], range(12))]
        Path(name).write_text('\n'.join(lines))

    changed('gap.csv', lambda line, row: line.replace(',3,', ',,'))
    changed('mixed.csv', lambda line, row: line.replace(',3,', ',big,'))
    changed('quantities.csv', lambda line, row: f'{line[:-1]}0.{row}')
    table.with_name('quantities.csv').write_text(
        '\n'.join([LINES[0], *(f'n{r},{r % 7},1,{r}.5' for r in range(50))])
    )
    table.with_name('colour.csv').write_text(
        table.read_text().replace('kind', 'colour')
    )
    told = refused(capsys, *arguments.split())
    assert option in told
    for name in OPTIONS:
        assert not re.search(rf"'{name}'|\b{name}=", told)


def test_notes_name_options_as_they_are_given(table, capsys):
    rows = [f'{row},{row % 7},1,{row}.5' for row in range(50)]
    table.write_text('\n'.join([LINES[0], *rows]))
    told = refused(capsys, 'mine.csv')
    assert re.search("Note: column 'id' .*--drop", told)
    assert "'drop'" not in told
