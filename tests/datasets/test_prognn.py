import json

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix, save_npz
from torch_geometric.utils import is_undirected

from torch_geometric_vgcn.datasets import prognn

# The component 1-2-3-4, a pair 0-5 and a self-loop; each edge one way:
EDGES = ([1, 2, 4, 0, 2], [2, 3, 3, 5, 2])
LABELS = np.array([1, 0, 0, 1, 1, 0], dtype=np.int8)


def adjacency(row, col, n):
    return csr_matrix((np.ones(len(row), np.float32), (row, col)), (n, n))


def both_ways(*edges):
    return [*zip(*edges, *(edge[::-1] for edge in edges), strict=True)]


def save_graph(path, **changes):
    arrays = {'labels': LABELS}
    features = csr_matrix(np.eye(6, dtype=np.int64)[:, :4])
    for prefix, matrix in (
        ('adj', adjacency(*EDGES, 6)),
        ('attr', features),
    ):
        for part in ('data', 'indices', 'indptr', 'shape'):
            arrays[f'{prefix}_{part}'] = np.array(getattr(matrix, part))
    arrays |= changes
    np.savez(path, **{k: v for k, v in arrays.items() if v is not None})


def save_split(folder, **changes):
    split = {'idx_train': [0], 'idx_val': [1], 'idx_test': [2, 3]} | changes
    path = folder / 'splits' / 'citeseer_prognn_splits.json'
    path.write_text(json.dumps(split))


@pytest.fixture
def folder(tmp_path):
    """A small graph with attacks, in files of the same form."""
    folder = tmp_path / 'prognn'
    for name in ('meta', 'nettack', 'splits'):
        (folder / name).mkdir(parents=True)
    save_graph(folder / 'citeseer.npz')
    save_split(folder)
    # 0-3 is added, 1-2 removed:
    attacked = adjacency(*both_ways((0, 1), (2, 3), (0, 3)), 4)
    save_npz(folder / 'meta' / 'citeseer_meta_adj_0.05.npz', attacked)
    save_npz(folder / 'meta' / 'citeseer_meta_adj_0.1.npz', attacked)
    save_npz(folder / 'nettack' / 'citeseer_nettack_adj_2.0.npz', attacked)
    (folder / 'nettack' / 'citeseer_nettacked_nodes.json').write_text(
        json.dumps({'attacked_test_nodes': [3]})
    )
    return folder


def test_the_largest_component_in_the_order_of_the_file(folder):
    data = prognn(root=folder)[0]
    assert data.edge_index.tolist() == [[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]
    assert data.y.tolist() == [0, 0, 1, 1]
    assert data.x.dtype == torch.float
    assert torch.equal(data.x, torch.eye(6)[1:5, :4])
    assert data.train_mask.tolist() == [True, False, False, False]
    assert data.val_mask.tolist() == [False, True, False, False]
    assert data.test_mask.tolist() == [False, False, True, True]
    assert 'added_pairs' not in data


def test_what_an_attack_has_changed_is_recorded(folder):
    data = prognn('citeseer', 'meta', 0.05, folder)[0]
    assert data.added_pairs.tolist() == [[0], [3]]
    assert data.removed_pairs.tolist() == [[1], [2]]
    assert data.edge_index.tolist() == [[0, 0, 1, 2, 3, 3], [1, 3, 0, 3, 0, 2]]
    assert data.test_mask.tolist() == [False, False, True, True]


@pytest.mark.parametrize('rate, num_added', [(2, 1), (2.0, 1), (0, 0)])
def test_nettack_is_tested_on_its_targets(folder, rate, num_added):
    data = prognn(attack='nettack', rate=rate, root=folder)[0]
    assert data.test_mask.tolist() == [False, False, False, True]
    assert data.added_pairs.shape == (2, num_added)
    assert data.removed_pairs.shape == (2, num_added)


def test_pickled_objects_are_left_unread(folder):
    names = np.array([{'a': 1}], dtype=object)
    save_graph(folder / 'citeseer.npz', idx_to_node=names)
    assert prognn(root=folder)[0].num_nodes == 4
    save_graph(folder / 'citeseer.npz', labels=LABELS.astype(object))
    with pytest.raises(ValueError, match="int 'labels', got None"):
        prognn(root=folder)


def test_the_folder_is_named_or_beside_the_other_data(folder, monkeypatch):
    beside = folder.parent / 'planetoid'
    for root in (folder, folder.parent, beside, str(beside)):
        assert prognn(root=root)[0].num_nodes == 4
    monkeypatch.setenv('VGCN_DATA', str(beside))
    assert prognn()[0].num_nodes == 4


def test_missing_files_are_named_with_their_sources(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match='github.com') as caught:
        prognn(root=tmp_path / 'a' / 'b')
    assert str(tmp_path / 'a' / 'prognn' / 'citeseer.npz') in str(caught.value)
    targets = folder / 'nettack' / 'citeseer_nettacked_nodes.json'
    targets.unlink()
    with pytest.raises(FileNotFoundError, match=f'no {targets}.*github'):
        prognn(attack='nettack', rate=2, root=folder)
    for path in (folder / 'meta').iterdir():
        path.unlink()
    with pytest.raises(FileNotFoundError, match='meta_adj_.*github'):
        prognn(attack='meta', rate=0.05, root=folder)
    split = folder / 'splits' / 'citeseer_prognn_splits.json'
    split.unlink()
    with pytest.raises(FileNotFoundError, match=f'no {split}.*github'):
        prognn(root=folder)


@pytest.mark.parametrize(
    'args, message',
    [
        ({'name': '../citeseer'}, "'name' must be one of .* got"),
        ({'attack': 'dice'}, "'attack' must be None or one of .* got 'dice'"),
        ({'rate': 0.1}, "'rate' must be None without an 'attack', got 0.1"),
        ({'attack': 'meta'}, r'one of \[0.05, 0.1\], .* got None'),
        ({'attack': 'meta', 'rate': 0.2}, r'one of \[0.05, 0.1\], .* got 0.2'),
        ({'attack': 'meta', 'rate': -1}, "'rate' must"),
    ],
)
def test_wrong_arguments_are_refused(folder, args, message):
    with pytest.raises(ValueError, match=message):
        prognn(**args, root=folder)


@pytest.mark.parametrize(
    'changes, message',
    [
        ({'adj_data': None}, "arrays .*'adj_data'.* got"),
        ({'adj_indices': np.array([9, 9, 9, 9, 9])}, 'fit together'),
        ({'adj_indptr': np.array([0, 1])}, 'fit together'),
        ({'adj_shape': np.array([6, 7])}, 'square .* got shape'),
        ({'labels': None}, "int 'labels', got None"),
        ({'labels': LABELS[:2]}, "class of each of 6 nodes as int 'labels'"),
        ({'attr_data': np.full(4, np.nan)}, 'must be finite'),
    ],
)
def test_a_graph_of_another_form_is_refused(folder, changes, message):
    save_graph(folder / 'citeseer.npz', **changes)
    with pytest.raises(ValueError, match=message):
        prognn(root=folder)


@pytest.mark.parametrize('part', ['citeseer.npz', 'meta'])
@pytest.mark.parametrize('share', [0.0, 0.5, 0.9])
def test_a_truncated_file_is_refused(folder, part, share):
    path = folder / part
    if path.is_dir():
        path /= 'citeseer_meta_adj_0.1.npz'
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=f"'{path}' must .* can't be read"):
        prognn(attack='meta', rate=0.1, root=folder)


def test_an_attacked_graph_of_other_nodes_is_refused(folder):
    path = folder / 'meta' / 'citeseer_meta_adj_0.1.npz'
    save_npz(path, adjacency([0], [1], 6))
    with pytest.raises(ValueError, match=r'of the 4 nodes .* got shape \[6'):
        prognn(attack='meta', rate=0.1, root=folder)


@pytest.mark.parametrize('nodes', [[4], [-1], [0.5], [True], 'abc', None])
def test_a_split_of_other_nodes_is_refused(folder, nodes):
    save_split(folder, idx_val=nodes)
    with pytest.raises(ValueError, match="from 0 to 3 as 'idx_val', got"):
        prognn(root=folder)


def test_a_split_that_is_not_json_is_refused(folder):
    (folder / 'splits' / 'citeseer_prognn_splits.json').write_text('{"idx')
    with pytest.raises(ValueError, match='must be a JSON file'):
        prognn(root=folder)


def test_citeseer_has_its_known_sizes():
    try:
        clean = prognn('citeseer')[0]
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert clean.num_nodes == 2110 and clean.num_edges == 2 * 3668
    assert clean.x.shape == (2110, 3703)
    assert set(clean.x.unique().tolist()) == {0, 1}
    masks = (clean.train_mask, clean.val_mask, clean.test_mask)
    assert [int(mask.sum()) for mask in masks] == [210, 211, 1688]
    attacked = prognn('citeseer', 'meta', 0.25)[0]
    assert attacked.added_pairs.size(1) == 899
    assert attacked.removed_pairs.size(1) == 18
    assert is_undirected(attacked.edge_index)
    targets = prognn('citeseer', 'nettack', 5)[0]
    assert int(targets.test_mask.sum()) == 63
    assert targets.added_pairs.size(1) == 305
