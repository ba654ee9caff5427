import os
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.csgraph
import torch
from torch_geometric.data import Data
from torch_geometric.utils import (
    erdos_renyi_graph,
    to_dense_adj,
    to_scipy_sparse_matrix,
)

from torch_geometric_vgcn.transforms import PoisonGraph, RandomPerturbation
from torch_geometric_vgcn.transforms.perturbation import edges_of
from torch_geometric_vgcn.transforms.poison_graph import (
    embedding_loss,
    perturb,
    spectrum,
)
from torch_geometric_vgcn.utils import pair_key


@pytest.fixture
def poisoned():
    """The graphs of the VGCN paper's authors, beside the raw data."""
    folder = Path(os.environ.get('VGCN_DATA', '.')).parent / 'poisoned'

    def load(name, key):
        if not (folder / f'{name}.npz').exists():
            pytest.skip(f'no {folder / name}.npz')
        with np.load(folder / f'{name}.npz') as graphs:
            return torch.from_numpy(graphs[key].astype(np.int64))

    return load


@pytest.fixture
def data():
    torch.manual_seed(3)
    data = Data(edge_index=erdos_renyi_graph(20, 0.3), num_nodes=20)
    assert not data.has_isolated_nodes()
    return data


def matrix(data):
    adj = to_dense_adj(data.edge_index, max_num_nodes=data.num_nodes)[0]
    return adj.double()


def eigenvalues(adj):
    value = scipy.linalg.eigh(adj, adj.sum(dim=1).diag(), eigvals_only=True)
    return torch.from_numpy(value)


def walk_matrix(adj, window):
    """Where walks of up to 'window' steps meet: DeepWalk's matrix but for a
    constant and the logarithm.
    """
    degree = adj.sum(dim=1)
    step = adj / degree.view(-1, 1)
    powers = [torch.linalg.matrix_power(step, r + 1) for r in range(window)]
    return sum(powers) / degree


def test_the_spectrum_solves_the_generalised_problem(data):
    adj = matrix(data)
    value, vector = spectrum(edges_of(data), 20)
    degree = adj.sum(dim=1).diag()
    assert torch.allclose(value, eigenvalues(adj))
    assert torch.allclose(adj @ vector, degree @ vector * value)
    identity = torch.eye(20, dtype=torch.double)
    assert torch.allclose(vector.t() @ degree @ vector, identity)


def test_a_walk_keeps_within_its_component(citeseer):
    data = citeseer.subgraph(torch.arange(800))
    assert data.has_isolated_nodes()
    value, vector = spectrum(edges_of(data), 800)
    adj = to_scipy_sparse_matrix(data.edge_index, num_nodes=800)
    count, _ = scipy.sparse.csgraph.connected_components(adj)
    assert int((value > 1 - 1e-9).sum()) == count
    assert value.min() > -1 - 1e-9
    assert vector.isfinite().all()


@pytest.mark.parametrize('change', [1, -1])
def test_the_perturbation_is_right_to_first_order(data, change):
    adj = matrix(data)
    value, vector = spectrum(edges_of(data), 20)
    i, j = (adj.triu(1) == (0 if change == 1 else 1)).nonzero()[40]
    errors, moves = [], []
    for size in (1e-2, 1e-3, 1e-4):
        changed = adj.clone()
        changed[i, j] += change * size
        changed[j, i] += change * size
        exact = eigenvalues(changed)
        guess = perturb(value, vector[i], vector[j], change * size)
        errors.append((guess - exact).abs().max())
        moves.append((value - exact).abs().max())
    # A tenth of the change moves by a tenth and errs by a hundredth:
    for k in (0, 1):
        assert moves[k] / moves[k + 1] == pytest.approx(10, rel=0.2)
        assert errors[k] / errors[k + 1] > 80


@pytest.mark.parametrize('window', [1, 2, 5])
@pytest.mark.parametrize('dim', [1, 4, 10])
def test_the_loss_bounds_that_of_the_best_embedding(data, window, dim):
    adj = matrix(data)
    singular = torch.linalg.svdvals(walk_matrix(adj, window))
    loss = embedding_loss(eigenvalues(adj), window, dim)
    bound = loss / adj.sum(dim=1).min()
    assert singular[dim:].square().sum().sqrt() <= bound


@pytest.mark.parametrize('window', [1, 2, 5])
def test_the_bound_is_exact_where_all_degrees_are_equal(window):
    circle = torch.arange(9)
    edge_index = torch.stack([circle, (circle + 1) % 9])
    edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    adj = matrix(Data(edge_index=edge_index, num_nodes=9))
    singular = torch.linalg.svdvals(walk_matrix(adj, window))
    loss = embedding_loss(eigenvalues(adj), window, dim=3) / 2
    assert torch.allclose(singular[3:].square().sum().sqrt(), loss)


def test_the_changes_of_the_largest_loss_are_taken(data):
    attack = PoisonGraph(remove=3, window=3, dim=4)
    out = attack(data)
    edges = edges_of(data)
    generator = torch.Generator().manual_seed(0)
    loose = attack.removable(edges, 20, generator)
    value, vector = spectrum(edges, 20)
    loss = {}
    for i, j in loose.t().tolist():
        moved = perturb(value, vector[i], vector[j], -1)
        loss[i, j] = float(embedding_loss(moved, 3, 4))
    best = sorted(loss, key=loss.get)[-3:]
    assert sorted(best) == sorted(map(tuple, out.removed_pairs.t().tolist()))


def test_removal_hurts_an_embedding_more_than_chance_does(blogs):
    def loss(data):
        value, _ = spectrum(edges_of(data), data.num_nodes)
        return embedding_loss(value, window=5, dim=32)

    drawn = loss(RandomPerturbation(remove=2000)(blogs))
    chosen = loss(PoisonGraph(remove=2000)(blogs))
    clean = loss(blogs)
    assert chosen - clean > 2 * (drawn - clean) > 0


def test_removed_pairs_are_those_of_the_authors(blogs, poisoned):
    """At least nine of ten of the 1,970 that they removed."""
    theirs = poisoned('polblogs', 'remove_2000_v0')
    kept = pair_key(theirs, blogs.num_nodes)
    removed = pair_key(PoisonGraph(remove=1970)(blogs).removed_pairs, 1222)
    assert int((~torch.isin(removed, kept)).sum()) > 0.9 * 1970


def test_bad_input_is_refused(data):
    with pytest.raises(ValueError, match=r'nodes \(20\), got 20'):
        PoisonGraph(remove=1, dim=20)(data)
    with pytest.raises(ValueError, match="'window' must be at least 1"):
        PoisonGraph(window=0)
    with pytest.raises(ValueError, match="'candidates' must be at least 1"):
        PoisonGraph(candidates=0)
