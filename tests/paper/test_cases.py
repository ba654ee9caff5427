import os
from pathlib import Path

import numpy as np
import pytest
import torch
from cases import Case
from torch_geometric.utils import is_undirected

from torch_geometric_vgcn.pairs import Candidates


def test_half_of_the_validation_nodes_are_moved_to_the_training_set(citeseer):
    data = Case('CiteSeer', 'true').load(0)
    assert int(data.train_mask.sum()) == 120 + 250
    assert int(data.val_mask.sum()) == 250
    assert int(data.test_mask.sum()) == 1000
    public = Case('CiteSeer', 'true', 'public').load(0)
    assert torch.equal(public.train_mask, citeseer.train_mask)
    random = Case('CiteSeer', 'true', 'random').load(0)
    assert int(random.train_mask.sum()) == 120 + 250
    assert not torch.equal(random.test_mask, data.test_mask)


def test_the_grid_of_the_knn_graph(citeseer):
    case = Case('CiteSeer', 'knn')
    few, many = case.load(0, k=10), case.load(0, k=20)
    assert few.num_edges < many.num_edges
    other = case.load(0, k=10, metric='minkowski')
    assert not torch.equal(few.edge_index, other.edge_index)
    assert set(case.grid) == {'k', 'metric'}
    assert Case('CiteSeer', 'true').grid == {}


def test_poisoned_graphs_are_from_the_authors_or_from_our_attack(blogs):
    clean = Candidates(Case('Polblogs', 'true').load(0).edge_index, 1222)
    folder = Path(os.environ.get('VGCN_DATA', '.')).parent / 'poisoned'
    if not folder.exists():
        pytest.skip(f"the authors' graphs aren't in {folder}")
    theirs = Case('Polblogs', 'add_500').load(0)
    with np.load(folder / 'polblogs.npz') as graphs:
        assert theirs.num_edges == 2 * graphs['add_500_v0'].shape[1]
    # The authors provide five of each:
    ours = Case('Polblogs', 'add_500').load(7)
    assert is_undirected(ours.edge_index)
    assert ours.num_edges == 2 * (len(clean) + 500)


@pytest.mark.parametrize(
    'case, name',
    [
        (Case('Cora', 'true'), 'Cora, true graph'),
        (Case('Cora', 'knn'), 'Cora, no graph'),
        (Case('Cora', 'add_5000'), 'Cora, +5000'),
        (Case('Polblogs', 'remove_500'), 'Polblogs, −500'),
    ],
)
def test_names(case, name):
    assert str(case) == name
