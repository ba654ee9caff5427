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


def test_poisoned_graphs_are_from_the_authors_or_from_our_attack(
    blogs, tmp_path, monkeypatch
):
    clean = Candidates(Case('Polblogs', 'true').load(0).edge_index, 1222)
    folder = Path(os.environ.get('VGCN_DATA', '.')).parent / 'poisoned'
    if not folder.exists():
        pytest.skip(f"the authors' graphs aren't in {folder}")
    theirs = Case('Polblogs', 'add_500').load(0)
    with np.load(folder / 'polblogs.npz') as graphs:
        assert theirs.num_edges == 2 * graphs['add_500_v0'].shape[1]
    # They provide five of each, which all runs share:
    for run, number in ((7, 2), (100, 0), (103, 3)):
        theirs = Case('Polblogs', 'add_500').load(run)
        with np.load(folder / 'polblogs.npz') as graphs:
            index = torch.from_numpy(graphs[f'add_500_v{number}']).long()
        assert Candidates(theirs.edge_index, 1222).contains(index).all()
    monkeypatch.setenv('VGCN_DATA', str(tmp_path / 'nothing'))
    ours = Case('Polblogs', 'add_500').load(7)
    assert is_undirected(ours.edge_index)
    assert ours.num_edges == 2 * (len(clean) + 500)


@pytest.mark.parametrize('share', [0.02, 0.4])
def test_a_share_of_labels(citeseer, share):
    case = Case('CiteSeer', 'true', f'share-{share}')
    data, other = case.load(0), case.load(1)
    n = data.num_nodes
    assert int(data.train_mask.sum()) == round(share * n)
    assert int(data.val_mask.sum()) == round(0.1 * n)
    seen = data.train_mask | data.val_mask
    assert torch.equal(data.test_mask, ~seen)
    assert not torch.equal(data.train_mask, other.train_mask)


def test_data_without_a_graph_have_a_split_for_each_run():
    pytest.importorskip('sklearn')
    case = Case('Wine', 'knn', 'public')
    data, other = case.load(0), case.load(1)
    assert int(data.train_mask.sum()) == 10 and int(data.val_mask.sum()) == 20
    assert torch.equal(data.edge_index, other.edge_index)
    assert not torch.equal(data.train_mask, other.train_mask)
    with pytest.raises(ValueError, match="'graph' must be 'knn' for Wine"):
        Case('Wine', 'true').load(0)


@pytest.mark.parametrize(
    'graph, split, message',
    [
        ('complete', 'half', "'graph' must be .* got 'complete'"),
        ('add_', 'half', "'graph' must be .* got 'add_'"),
        ('prbcd_', 'half', "'graph' must be .* got 'prbcd_'"),
        ('dice_0.1', 'half', "'graph' must be .* got 'dice_0.1'"),
        ('true', 'quarter', "'split' must be .* got 'quarter'"),
        ('true', 'share-0.95', "'split' must be .* got 'share-0.95'"),
        ('true', 'share-0.0', "'split' must be .* got 'share-0.0'"),
        ('true', 'share-much', "'split' must be .* got 'share-much'"),
    ],
)
def test_unknown_names_are_refused(graph, split, message):
    with pytest.raises(ValueError, match=message):
        Case('Cora', graph, split)


@pytest.mark.parametrize(
    'case, name',
    [
        (Case('Cora', 'true'), 'Cora, true graph'),
        (Case('Cora', 'knn'), 'Cora, no graph'),
        (Case('Cora', 'add_5000'), 'Cora, +5000'),
        (Case('Polblogs', 'remove_500'), 'Polblogs, −500'),
        (Case('Cora', 'prbcd_0.05'), 'Cora, PRBCD 5 %'),
        (Case('Cora', 'nettack_3'), 'Cora, Nettack 3'),
        (Case('Cora', 'knn', 'public'), 'Cora, no graph (public split)'),
        (Case('Cora', 'true', 'share-0.02'), 'Cora, true graph (2 % labels)'),
    ],
)
def test_names(case, name):
    assert str(case) == name


@pytest.mark.parametrize(
    'graph, attack, budget, adds_edges',
    [
        ('true', None, 0, False),
        ('knn', None, 0, False),
        ('add_500', None, 0, True),
        ('remove_500', None, 0, False),
        ('nettack_0', 'nettack', 0, False),
        ('nettack_3', 'nettack', 3, True),
        ('adaptive_0.25', 'adaptive', 0.25, True),
        ('words_0.5', 'words', 0.5, False),
    ],
)
def test_attacks(graph, attack, budget, adds_edges):
    case = Case('Cora', graph)
    assert (case.attack, case.budget) == (attack, budget)
    assert case.adds_edges == adds_edges


def test_an_attack_is_on_the_graph_and_split_of_the_run(cora):
    first, again = (Case('Cora', 'similar_0.05').load(0) for _ in range(2))
    assert torch.equal(first.edge_index, again.edge_index)
    assert first.num_edges == 2 * round(1.05 * cora.num_edges / 2)
    true = Case('Cora', 'true').load(0)
    assert torch.equal(first.train_mask, true.train_mask)
    assert torch.equal(first.x, true.x)
    words = Case('Cora', 'words_0.25').load(0)
    assert torch.equal(words.edge_index, true.edge_index)
    assert not torch.equal(words.x, true.x)
    other = Case('Cora', 'words_0.25').load(1)
    assert not torch.equal(words.x, other.x)


def test_published_attacks():
    name = 'Pro-GNN Citeseer'
    try:
        true = Case(name, 'true', 'public').load(0)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    meta = Case(name, 'meta_0.25', 'public').load(0)
    assert not {'added_pairs', 'removed_pairs'} & set(meta.keys())
    assert meta.num_edges > true.num_edges
    assert torch.equal(meta.test_mask, true.test_mask)
    none, three = (
        Case(name, f'nettack_{rate}', 'public').load(0) for rate in (0, 3)
    )
    assert torch.equal(none.edge_index, true.edge_index)
    assert not torch.equal(three.edge_index, true.edge_index)
    assert int(none.test_mask.sum()) == int(three.test_mask.sum()) == 63
    with pytest.raises(ValueError, match="no published graph .* 'meta'"):
        Case('Cora', 'meta_0.25').load(0)
