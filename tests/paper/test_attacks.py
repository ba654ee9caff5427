import numpy as np
import pytest
import torch
from attacks import ATTACKS, FOLDER, TITLES, attacked
from torch_geometric.data import Data
from torch_geometric.utils import is_undirected


@pytest.fixture
def data(communities) -> Data:
    r"""With all labels, a test mask and words instead of dense features."""
    communities.y = communities.truth
    communities.test_mask = ~(communities.train_mask | communities.val_mask)
    communities.x = torch.where(communities.x > 0.06, communities.x, 0.0)
    return communities


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / 'graphs'))
    return tmp_path / 'graphs'


@pytest.mark.parametrize('attack', ATTACKS)
def test_each_attack_changes_data(attack, data, monkeypatch):
    monkeypatch.delenv(FOLDER, raising=False)
    assert attack in TITLES
    before = data.clone()
    after = attacked(data.clone(), attack, 0.25, 0, 'name')
    if attack == 'words':
        assert torch.equal(after.edge_index, before.edge_index)
        assert not torch.equal(after.x, before.x)
    else:
        assert is_undirected(after.edge_index)
        assert after.num_edges != before.num_edges
        assert torch.equal(after.x, before.x)
    assert not {'added_pairs', 'removed_pairs'} & set(after.keys())


def test_a_graph_is_made_once(data, folder):
    first = attacked(data.clone(), 'similar', 0.25, 0, 'name')
    assert [path.name for path in folder.iterdir()] == ['name.npz']
    again = attacked(data.clone(), 'similar', 0.25, 0, 'name')
    assert torch.equal(again.edge_index, first.edge_index)
    with np.load(folder / 'name.npz', allow_pickle=False) as file:
        how = file['how']
    edges = np.array([[0], [1]])
    np.savez(folder / 'name.npz', edges=edges, how=how)
    kept = attacked(data.clone(), 'similar', 0.25, 0, 'name')
    assert kept.edge_index.tolist() == [[0, 1], [1, 0]]
    assert kept.num_nodes == 60


def test_a_graph_of_another_attack_is_made_anew(data, folder):
    attacked(data.clone(), 'similar', 0.1, 0, 'name')
    few = (folder / 'name.npz').read_bytes()
    more = attacked(data.clone(), 'similar', 0.25, 0, 'name')
    assert more.num_edges == 2 * round(1.25 * data.num_edges / 2)
    assert (folder / 'name.npz').read_bytes() != few


def test_nothing_is_kept_of_words_or_without_a_folder(
    data, folder, monkeypatch
):
    attacked(data.clone(), 'words', 0.25, 0, 'name')
    monkeypatch.delenv(FOLDER)
    attacked(data.clone(), 'similar', 0.25, 0, 'name')
    assert not folder.exists()
