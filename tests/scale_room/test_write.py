r"""What is on disk is the graph that was given."""

import json

import numpy as np
import pytest
import torch
from processes import karate, write
from scipy import sparse

from torch_geometric_vgcn import SmoothedPrior
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.scale import StoredGraph

ALL = torch.arange(34)


@pytest.mark.parametrize('clusters', [[3], [0, 1], [1, 4, 6], list(range(8))])
def test_a_batch_is_a_subset_of_the_whole_prior(tmp_path, clusters):
    data, graph = karate(), write(tmp_path)
    node_id = graph.nodes_of(torch.tensor(clusters))
    node = graph.rows('node', node_id)
    want = SmoothedPrior(data.edge_index, 34).subset(node)
    got = graph.prior().subset(node_id)
    assert torch.equal(got.pairs.index, want.pairs.index)
    assert torch.allclose(got.logits, want.logits)
    assert got.background == want.background
    assert torch.equal(graph.rows('x', node_id), data.x[node])
    for name in ('y', 'train_mask', 'val_mask'):
        assert torch.equal(graph.rows(name, node_id), data[name][node])


def test_each_pair_is_in_the_row_of_its_lower_degree(tmp_path):
    data, graph = karate(), write(tmp_path)
    index = graph.pairs_at(torch.arange(graph.num_pairs))
    key = index[0] * 34 + index[1]
    assert torch.equal(key.sort().values, Candidates(data.edge_index, 34).key)
    pointer = np.load(tmp_path / 'pointer.npy')
    degree = data.edge_index[0].bincount()[graph.rows('node', ALL)].numpy()
    row = np.repeat(np.arange(34), np.diff(pointer))
    assert (degree[row] <= degree[np.load(tmp_path / 'other.npy')]).all()


@pytest.mark.parametrize('kind', ['path', 'memmap', 'csr', 'torch'])
def test_features_of_any_kind(tmp_path, kind):
    x = np.random.default_rng(0).random((34, 5), np.float32)
    x[x < 0.5] = 0
    np.save(tmp_path / 'x.npy', x)
    given = {
        'path': str(tmp_path / 'x.npy'),
        'memmap': np.load(tmp_path / 'x.npy', mmap_mode='r'),
        'csr': sparse.csr_matrix(x),
        'torch': torch.from_numpy(x).to_sparse(),
    }[kind]
    edges = tmp_path / 'edges.npy'
    np.save(edges, karate().edge_index.numpy())
    graph = write(tmp_path / 'out', x=given, edge_index=edges)
    node = graph.rows('node', ALL).numpy()
    assert np.array_equal(graph.rows('x', ALL).numpy(), x[node])
    assert not list((tmp_path / 'out').glob('scratch*'))


def test_prior_logits_of_each_edge(tmp_path):
    index = torch.tensor([[0, 1, 4, 5, 1], [1, 0, 0, 5, 2]])
    logits = torch.tensor([1.0, 2, 3, 4, 5])
    graph = write(tmp_path, edge_index=index, logits=logits)
    pairs = graph.pairs_at(torch.arange(3)).t().tolist()  # no self-loop
    found = graph.rows('logit', torch.arange(3)).tolist()
    # The higher of both directions:
    assert dict(zip(map(tuple, pairs), found, strict=True)) == {
        (0, 1): 2.0,
        (0, 4): 3.0,
        (1, 2): 5.0,
    }


def test_metis_finds_clusters(tmp_path):
    graph = write(tmp_path, cluster=None, num_parts=3)
    assert graph.num_clusters == 3
    assert torch.equal(graph.rows('node', ALL).sort().values, ALL)


@pytest.mark.parametrize(
    'other',
    [
        {'y': torch.ones(33).long()},
        {'y': torch.ones(34).bool()},
        {'x': torch.ones(34, 2).long()},
        {'x': torch.ones(34)},
        {'x': torch.full((34, 2), float('nan'))},
        {'x': 'none.npy'},
        {'x': 3},
        {'edge_index': torch.ones(3, 2)},
        {'edge_index': torch.ones(2, 2)},
        {'edge_index': torch.tensor([[0], [34]])},
        {'cluster': torch.zeros(34)},
        {'cluster': torch.arange(34)},
        {'cluster': None},
        {'num_parts': 4},
        {'logits': torch.ones(3)},
        {'rho1': 1.5},
        {'y': -torch.ones(34).long()},
        {'val_mask': torch.zeros(34).bool()},
    ],
    ids=lambda other: next(iter(other)),
)
def test_bad_arguments_are_named(tmp_path, other):
    with pytest.raises((TypeError, ValueError), match=f"'{next(iter(other))}"):
        write(tmp_path, **other)
    with pytest.raises(ValueError, match='without graph.json'):
        StoredGraph(tmp_path)


@pytest.mark.parametrize('change', [{'num_nodes': 33}, {'num_pairs': None}])
def test_a_damaged_description_is_refused(tmp_path, change):
    write(tmp_path)
    path = tmp_path / 'graph.json'
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match="graph.json, which can't be read"):
        StoredGraph(tmp_path)
