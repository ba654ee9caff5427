"""Files appear whole or not at all, and nothing else is written over."""

import os
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
    fit,
    predict_batches,
)
from torch_geometric_vgcn.__main__ import main
from torch_geometric_vgcn.datasets import polblogs
from torch_geometric_vgcn.estimators import VGCNClassifier
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    StoredGraph,
    predict_clusters,
    write_graph,
)


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


def test_predictions_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # One label for each class, so that there is nothing to choose from:
    rows = [f'n{row},{row % 7},{row % 5},{"xy "[row]}' for row in range(3)]
    rows += [f'n{row},{row % 7},{row % 5},' for row in range(3, 99)]
    Path('mine.csv').write_text('\n'.join(['id,size,cost,kind', *rows]))
    Path('out.csv').write_text('old')
    given = ['mine.csv', '--label', 'kind', '--drop', 'id', '--out', 'out.csv']
    with disk_of(2000), pytest.raises(SystemExit):
        main(given)
    assert Path('out.csv').read_text() == 'old'
    assert sorted(os.listdir()) == ['mine.csv', 'out.csv']


def learner_of(graph):
    return VariationalGraphLearner(
        GCN(12, 4, 2, 2), graph.prior(), ShardedPosterior()
    )


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
    return write_graph(folder, progress=False, **given)


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
    assert StoredGraph(tmp_path).num_nodes == 12
    graph_of(tmp_path, cluster=np.arange(12) // 6)
    assert StoredGraph(tmp_path).num_clusters == 2
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in before}


def test_a_graph_on_disk_is_not_written_over_what_it_is_made_of(tmp_path):
    graph_of(tmp_path)
    path = tmp_path / 'x.npy'
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
    learner = learner_of(graph)
    (tmp_path / 'link').symlink_to(tmp_path / 'graph')
    before = {p: p.read_bytes() for p in tmp_path.rglob('*.*') if p.is_file()}
    for path in before:
        with pytest.raises(ValueError, match="'out'"):
            predict_clusters(learner, out=path)
    with pytest.raises(ValueError, match="'out'"):
        predict_clusters(learner, out=tmp_path / 'link' / 'x.npy')
    for path, content in before.items():
        assert path.read_bytes() == content
    path = tmp_path / 'graph' / 'prob.npy'
    path.write_text('old')
    with disk_of(200), pytest.raises(OSError, match='large'):
        predict_clusters(learner, out=path)
    assert path.read_text() == 'old'
    _, found = predict_clusters(learner, out=path)
    assert np.array_equal(np.load(path), found.numpy())


def test_a_checkpoint_removes_no_files_but_its_own(tmp_path):
    graph = graph_of(tmp_path / 'graph')
    run = tmp_path / 'run'
    others = [run / 'epoch-best' / 'w.pt', run / 'epoch-000001' / 'w.pt']
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_text('of somebody else')
    fit(
        learner_of(graph), graph, StoredClusters(graph), epochs=2,
        checkpoint=run, checkpoint_every=1, progress=False,
    )  # fmt: skip
    assert all(path.read_text() == 'of somebody else' for path in others)
    assert sorted(p.name for p in (run / 'epoch-000001').iterdir()) == ['w.pt']


def test_an_interrupted_use_of_a_data_set_leaves_nothing_half(tmp_path):
    pytest.importorskip('pandas')
    raw = tmp_path / 'PolBlogs' / 'raw'
    raw.mkdir(parents=True)  # so that nothing is downloaded
    (raw / 'adjacency.tsv').write_text('0\t1\t1\n1\t2\t1\n')
    (raw / 'labels.tsv').write_text('0\n1\n1\n')
    with disk_of(1000), pytest.raises(OSError):
        polblogs(tmp_path / 'empty', cache=tmp_path)
    data = polblogs(tmp_path / 'empty', cache=tmp_path)[0]
    assert data.y.tolist() == [0, 1, 1]
    assert [path.name for path in tmp_path.iterdir()] == ['PolBlogs']
