import json

import numpy as np
import pytest
import torch
from processes import karate, write
from scipy import sparse

from torch_geometric_vgcn import ClusterPairs, SmoothedPrior
from torch_geometric_vgcn.partition import PartitionedGraph, partition_graph
from torch_geometric_vgcn.partition.pair_files import owns_first


def arguments(**other):
    data = karate()
    return {
        'x': data.x, 'edge_index': data.edge_index, 'y': data.y,
        'train_mask': data.train_mask, 'val_mask': data.val_mask,
        'cluster': torch.arange(34) % 4, 'progress': False, **other,
    }  # fmt: skip


def test_each_node_and_each_pair_is_written_once(tmp_path):
    data, graph = karate(), write(tmp_path)
    nodes, pairs = [], []
    for c in range(graph.num_parts):
        cluster = graph.cluster(c)
        nodes.append(cluster.node)
        assert torch.equal(cluster.x, data.x[cluster.node])
        assert torch.equal(cluster.y, data.y[cluster.node])
        assert torch.equal(cluster.train, data.train_mask[cluster.node])
        assert torch.equal(cluster.val, data.val_mask[cluster.node])
        blocks = cluster.blocks()
        col = cluster.col_node
        assert torch.equal(col % 8, blocks.other)
        assert torch.equal(
            graph.cluster(int(col[0]) % 8).node[blocks.col[0]], col[0]
        )
        pairs.append(torch.stack([cluster.node[blocks.row], col]))
        assert torch.allclose(blocks.logit.sigmoid(), torch.tensor(0.25))
    assert torch.equal(torch.cat(nodes).sort().values, torch.arange(34))
    found = torch.cat(pairs, dim=1).sort(dim=0).values
    prior = SmoothedPrior(data.edge_index, 34)
    key = (found[0] * 34 + found[1]).sort().values
    assert torch.equal(key, prior.pairs.key)
    assert graph.num_pairs == len(prior.pairs)
    assert graph.manifest.background == prior.background


def test_each_cluster_owns_about_half_of_its_pairs_with_others():
    first, second = np.triu_indices(101, 1)
    owner = np.where(owns_first(first, second), first, second)
    assert np.array_equal(
        owns_first(first, second), ~owns_first(second, first)
    )
    assert abs(np.bincount(owner, minlength=101) - 50).max() <= 1


def test_some_blocks_are_read_alone(tmp_path):
    cluster = write(tmp_path, num_parts=4).cluster(1)
    whole, some = cluster.blocks(), cluster.blocks([1, 3])
    here = torch.isin(whole.other, torch.tensor([1, 3]))
    for all_of_it, part in zip(whole, some, strict=True):
        assert torch.equal(all_of_it[here], part)


@pytest.mark.parametrize('kind', ['path', 'memmap', 'csr', 'npz', 'torch'])
def test_features_of_any_kind(tmp_path, kind):
    x = np.random.default_rng(0).random((34, 5), np.float32)
    x[x < 0.5] = 0
    np.save(tmp_path / 'x.npy', x)
    sparse.save_npz(tmp_path / 'x.npz', sparse.csr_matrix(x))
    given = {
        'path': str(tmp_path / 'x.npy'),
        'memmap': np.load(tmp_path / 'x.npy', mmap_mode='r'),
        'csr': sparse.csr_matrix(x),
        'npz': tmp_path / 'x.npz',
        'torch': torch.from_numpy(x).to_sparse(),
    }[kind]
    edges = tmp_path / 'edges.npy'
    np.save(edges, karate().edge_index.numpy())
    graph = partition_graph(
        tmp_path / 'out', **arguments(x=given, edge_index=edges)
    )
    for c in range(4):
        cluster = graph.cluster(c)
        got = cluster.x.to_dense().numpy()
        assert np.array_equal(got, x[cluster.node.numpy()])
    assert graph.manifest.sparse == (kind in ('csr', 'npz', 'torch'))
    assert not list((tmp_path / 'out').glob('scratch*'))


def test_prior_logits_of_each_edge(tmp_path):
    index = torch.tensor([[0, 1, 4, 5, 1], [1, 0, 0, 5, 2]])
    graph = partition_graph(
        tmp_path,
        **arguments(
            edge_index=index, logits=torch.tensor([1.0, 2, 3, 4, 5]),
            cluster=torch.arange(34) // 17,
        ),
    )  # fmt: skip
    blocks = graph.cluster(0).blocks()
    assert blocks.row.tolist() == [0, 0, 1]
    assert blocks.col.tolist() == [1, 4, 2]
    assert blocks.logit.tolist() == [2.0, 3.0, 5.0]  # the higher of both
    assert graph.manifest.pairs == [3, 0]  # no self-loop


def test_metis_and_dense_clusters(tmp_path):
    data = karate()
    graph = partition_graph(
        tmp_path, **arguments(cluster=None, num_parts=3, dense=True)
    )
    cluster = torch.empty(34).long()
    for c in range(3):
        cluster[graph.cluster(c).node] = c
    pairs = ClusterPairs(cluster)
    assert graph.num_pairs == len(pairs)
    written = sum(len(graph.cluster(c).blocks().row) for c in range(3))
    assert written == int(pairs.joins(data.edge_index).sum()) // 2


@pytest.mark.parametrize(
    'other, error',
    [
        ({'x': torch.ones(33, 2)}, "'y' must hold one int64 class id for"),
        ({'x': torch.ones(34, 2).long()}, "'x' must be floating point"),
        ({'x': torch.ones(34)}, r"'x' must have shape \[N, F\], got \[34\]"),
        ({'x': torch.full((34, 2), float('nan'))}, "'x' must be finite"),
        ({'x': 'none.npz'}, "'x' must be a readable file of scipy"),
        ({'x': 3}, "'x' must be a Tensor, an array or the path .*got int"),
        ({'edge_index': torch.ones(3, 2)}, r"'edge_index' must have shape"),
        ({'edge_index': torch.ones(2, 2)}, "'edge_index' must hold int64"),
        ({'edge_index': torch.tensor([[0], [34]])}, r'in \[0, 33\], got ids'),
        ({'cluster': torch.zeros(34)}, "'cluster' must hold one integer"),
        ({'cluster': torch.arange(34)}, 'two nodes or more in each of 34'),
        ({'cluster': None}, "either 'num_parts' or 'cluster', got neither"),
        ({'num_parts': 4}, "either 'num_parts' or 'cluster', got both"),
        ({'num_shards': 3}, "'num_shards' must divide the number of clust"),
        ({'logits': torch.ones(3)}, r"'logits' must have one number per ed"),
        ({'rho1': 1.5}, "'rho1'"),
        ({'y': -torch.ones(34).long()}, "'y' must be non-negative where"),
        ({'val_mask': torch.zeros(34).bool()}, "'val_mask' selects no node"),
    ],
)  # fmt: skip
def test_bad_arguments(tmp_path, other, error):
    with pytest.raises((TypeError, ValueError), match=error):
        partition_graph(tmp_path, **arguments(**other))
    with pytest.raises(ValueError, match='without manifest.json'):
        PartitionedGraph(tmp_path)


def test_a_damaged_manifest_is_refused(tmp_path):
    write(tmp_path)
    path = tmp_path / 'manifest.json'
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, 'sizes': values['sizes'][1:]}))
    with pytest.raises(ValueError, match="numbers don't fit together"):
        PartitionedGraph(tmp_path)
    path.write_text('{')
    with pytest.raises(ValueError, match="can't be read"):
        PartitionedGraph(tmp_path)
