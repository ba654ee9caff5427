"""The command writes over nothing that it reads or has written, and names
its options as they are given.
"""

import os
import re
import resource
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    Gaussian,
    SmoothedPrior,
    VariationalGraphLearner,
    predict_batches,
)
from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.estimators import VGCNClassifier
from torch_geometric_vgcn.partition import (
    PartitionedGraph,
    PartitionedLearner,
    partition_graph,
)
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.training import fit_partitioned, predict_partitioned

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


@contextmanager
def disk_of(size):
    r"""A disk on which no file can have more bytes."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.fixture(scope='module')
def fitted():
    x = np.random.RandomState(0).randn(30, 4)
    y = np.where(np.arange(30) < 15, np.arange(30) % 2, -1)
    return VGCNClassifier(trust=0.5, max_iter=5, random_state=0).fit(x, y)


WRITERS = {
    'model': lambda fitted, path: fitted.save(path),
    'report': lambda fitted, path: report(fitted, path),
}


@pytest.mark.parametrize('writer', WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize('link', [False, True])
def test_on_a_full_disk_the_old_file_stays(tmp_path, fitted, writer, link):
    path = tmp_path / 'file'
    if link:
        path.symlink_to(tmp_path / 'other')
    with disk_of(5000), pytest.raises(OSError, match='large'):
        writer(fitted, path)
    assert not path.exists()
    path.write_bytes(b'old')
    path.chmod(0o640)
    with disk_of(5000), pytest.raises(OSError, match='large'):
        writer(fitted, path)
    assert path.read_bytes() == b'old'
    writer(fitted, path)
    assert path.stat().st_size > 5000
    assert path.stat().st_mode & 0o777 == 0o640  # nobody else may read it
    assert path.is_symlink() == link
    assert len(list(tmp_path.iterdir())) == 1 + link


@pytest.mark.parametrize('writer', WRITERS.values(), ids=WRITERS)
def test_a_folder_that_is_not_there_is_named(tmp_path, fitted, writer):
    with pytest.raises(OSError, match='none/file'):
        writer(fitted, tmp_path / 'none' / 'file')


@pytest.mark.skipif(sys.platform != 'linux', reason='/dev/fd of Linux')
def test_what_is_no_file_is_written_to(fitted, tmp_path):
    with (tmp_path / 'log').open('wb') as file:
        fitted.save(f'/dev/fd/{file.fileno()}')
    fitted.save(os.devnull)
    assert not Path(os.devnull).is_file()
    assert (tmp_path / 'log').stat().st_size > 5000


def test_predictions_are_written_whole_or_not_at_all(table):
    # One label for each class, so that there is nothing to choose from:
    rows = [f'n{row},{row % 7},{row % 5},{"xy "[row]}' for row in range(3)]
    rows += [f'n{row},{row % 7},{row % 5},' for row in range(3, 99)]
    table.write_text('\n'.join([LINES[0], *rows]))
    Path('out.csv').write_text('old')
    given = ['mine.csv', '--label', 'kind', '--drop', 'id', '--out', 'out.csv']
    with disk_of(2000), pytest.raises(SystemExit):
        main(given)
    assert Path('out.csv').read_text() == 'old'
    assert sorted(map(str, contents())) == ['mine.csv', 'out.csv']


def graph_of(folder, **others):
    r"""A ring of twelve nodes in three clusters, on disk."""
    node = np.arange(12)
    given = {
        'x': np.eye(12, dtype=np.float32),
        'edge_index': np.stack([node, (node + 1) % 12]),
        'y': node % 2,
        'train_mask': node < 6,
        'val_mask': node >= 6,
        'cluster': node // 4,
        **others,
    }
    return partition_graph(folder, progress=False, **given)


@pytest.mark.parametrize(
    'wrong',
    [
        {'x': np.full((12, 3), np.nan, np.float32)},
        {'edge_index': np.array([[0, 1], [1, 12]])},
        {'y': np.full(12, -1)},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_graph_on_disk_stays_if_another_one_is_refused(tmp_path, wrong):
    graph_of(tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.rglob('*') if p.is_file()}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        graph_of(tmp_path, **wrong)
    after = {p: p.read_bytes() for p in tmp_path.rglob('*') if p.is_file()}
    assert after == before
    assert PartitionedGraph(tmp_path).num_nodes == 12
    graph_of(tmp_path, cluster=np.arange(12) // 6)
    assert PartitionedGraph(tmp_path).num_parts == 2
    assert len(list(tmp_path.iterdir())) == 3  # and its description


def test_a_graph_on_disk_is_not_written_over_what_it_is_made_of(tmp_path):
    graph_of(tmp_path)
    path = tmp_path / 'cluster-000000' / 'x.npy'
    before = path.read_bytes()
    (tmp_path / 'link.npy').symlink_to(path)
    for x in (path, tmp_path / 'link.npy', np.load(path, mmap_mode='r')):
        with pytest.raises(ValueError, match="'x'"):
            graph_of(
                tmp_path, x=x, y=np.arange(4) % 2, cluster=np.zeros(4, int),
                train_mask=np.arange(2), val_mask=np.arange(2, 4),
                edge_index=np.array([[0, 1, 2], [1, 2, 3]]),
            )  # fmt: skip
        assert path.read_bytes() == before


def test_predictions_on_disk_are_whole_or_as_before(tmp_path):
    data = KarateClub()[0]
    prior = SmoothedPrior(data.edge_index, 34)
    learner = VariationalGraphLearner(GCN(34, 8, 2, 4), prior)
    path, half = tmp_path / 'prob.npy', [torch.arange(17)]
    path.write_text('old')
    for size, batches in ((10**9, half), (300, [torch.arange(34)])):
        with disk_of(size), pytest.raises((OSError, ValueError)):
            predict_batches(learner, data.x, batches, out=path)
        assert path.read_text() == 'old'
        assert list(tmp_path.iterdir()) == [path]
    found = predict_batches(learner, data.x, [torch.arange(34)], out=path)
    assert np.array_equal(np.load(path), found.numpy())
    assert list(tmp_path.iterdir()) == [path]


def test_predictions_of_several_tensors_have_no_file(tmp_path):
    data = KarateClub()[0]
    prior = SmoothedPrior(data.edge_index, 34)
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 1), prior, likelihood=Gaussian()
    )
    with pytest.raises(TypeError, match="'out'"):
        predict_batches(
            learner, data.x, [torch.arange(34)], out=tmp_path / 'x.npy'
        )
    assert not list(tmp_path.iterdir())


def test_predictions_are_not_written_over_a_graph_on_disk(tmp_path):
    graph = graph_of(tmp_path / 'graph')
    learner = PartitionedLearner(GCN(12, 4, 2, 2), graph)
    (tmp_path / 'link').symlink_to(tmp_path / 'graph' / 'cluster-000001')
    before = {p: p.read_bytes() for p in tmp_path.rglob('*.*') if p.is_file()}
    for path in before:
        with pytest.raises(ValueError, match="'out'"):
            predict_partitioned(learner, out=path)
    with pytest.raises(ValueError, match="'out'"):
        predict_partitioned(learner, out=tmp_path / 'link' / 'x.npy')
    for path, content in before.items():
        assert path.read_bytes() == content
    path = tmp_path / 'graph' / 'prob.npy'
    path.write_text('old')
    with disk_of(200), pytest.raises(OSError, match='large'):
        predict_partitioned(learner, out=path)
    assert path.read_text() == 'old'
    _, found = predict_partitioned(learner, out=path)
    assert np.array_equal(np.load(path), found.numpy())


def test_a_checkpoint_removes_no_files_but_its_own(tmp_path):
    graph = graph_of(tmp_path / 'graph')
    run = tmp_path / 'run'
    others = [run / 'epoch-best' / 'w.pt', run / 'epoch-000001' / 'w.pt']
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_text('of somebody else')
    learner = PartitionedLearner(GCN(12, 4, 2, 2), graph)
    fit_partitioned(
        learner, epochs=2, checkpoint=run, checkpoint_every=1, progress=False
    )
    assert all(path.read_text() == 'of somebody else' for path in others)
    assert sorted(p.name for p in (run / 'epoch-000001').iterdir()) == ['w.pt']
