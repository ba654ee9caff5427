import sys

import numpy as np
import pytest
import torch
from torch_geometric.utils import is_undirected

from torch_geometric_vgcn.datasets import polblogs


@pytest.fixture
def source(tmp_path):
    """A folder with a small graph in a file of the same form."""
    edge_index = np.array([[0, 1, 2, 2], [1, 2, 2, 3]], dtype=np.int16)
    folder = tmp_path / 'source'
    folder.mkdir()
    y = np.array([0, 0, 1, 1])
    np.savez(folder / 'polblogs.npz', edge_index=edge_index, y=y)
    return folder


def test_polblogs_has_its_known_sizes(blogs):
    assert blogs.num_nodes == 1222
    assert blogs.num_edges == 2 * 16714
    assert blogs.y.bincount().tolist() == [586, 636]
    assert is_undirected(blogs.edge_index)
    assert not blogs.has_self_loops()
    assert not blogs.has_isolated_nodes()


def test_the_file_is_found_in_the_folder_or_above(source):
    (source / 'planetoid').mkdir()
    for root in (source, source / 'planetoid', str(source)):
        dataset = polblogs(root)
        assert dataset[0].num_edges == 6
        assert (dataset.num_classes, dataset.num_features) == (2, 4)


def test_a_file_of_another_form_is_refused(source):
    np.savez(source / 'polblogs.npz', adjacency=np.eye(2))
    with pytest.raises(ValueError, match="'edge_index' and 'y', got"):
        polblogs(source)


def test_without_file_and_pandas_it_says_what_to_do(tmp_path, monkeypatch):
    raw = tmp_path / 'cache' / 'PolBlogs' / 'raw'
    raw.mkdir(parents=True)
    for name in ('adjacency.tsv', 'labels.tsv'):  # so nothing is downloaded
        (raw / name).touch()
    monkeypatch.setitem(sys.modules, 'pandas', None)
    with pytest.raises(FileNotFoundError) as caught:
        polblogs(tmp_path / 'empty', cache=tmp_path / 'cache')
    message = str(caught.value)
    assert str(tmp_path / 'empty' / 'polblogs.npz') in message
    assert 'ModuleNotFoundError' in message
    assert 'set VGCN_DATA=SOME_FOLDER' in message
    assert 'install pandas' in message


def test_pygs_download_gives_the_largest_component(tmp_path):
    pytest.importorskip('pandas')
    raw = tmp_path / 'PolBlogs' / 'raw'
    raw.mkdir(parents=True)
    links = [(0, 1), (1, 0), (1, 2), (2, 2), (3, 4)]  # 5 has no link
    rows = (f'{i}\t{j}\t1\n' for i, j in links)
    (raw / 'adjacency.tsv').write_text(''.join(rows))
    (raw / 'labels.tsv').write_text('0\n1\n1\n0\n0\n1\n')
    data = polblogs(tmp_path / 'empty', cache=tmp_path)[0]
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert data.y.tolist() == [0, 1, 1]
    assert torch.equal(data.x.to_dense(), torch.eye(3))


@pytest.mark.parametrize(
    ('arrays', 'message'),
    [
        ({'y': [0, 1]}, "'edge_index' and 'y'"),
        ({'edge_index': [[0], [5]], 'y': [0, 1]}, 'ids in'),
        ({'edge_index': [[0.5], [1]], 'y': [0, 1]}, "int 'edge_index'"),
        ({'edge_index': [[0], [1]], 'y': ['a', 'b']}, "int 'y'"),
    ],
)
def test_a_file_of_other_arrays_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / 'polblogs.npz', **arrays)
    with pytest.raises(ValueError, match=message):
        polblogs(tmp_path)


def test_a_broken_file_is_refused(tmp_path):
    (tmp_path / 'polblogs.npz').write_bytes(b'broken')
    with pytest.raises(ValueError, match="can't be read"):
        polblogs(tmp_path)
