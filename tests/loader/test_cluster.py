import builtins
import importlib.util
import os
import sys

import pytest
import torch
import torch_geometric.loader
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import ClusterLoader
from torch_geometric.utils import subgraph

from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.transforms import PoisonGraph

PLACE = 'part_4/metis.pt'


def parts(data, num_parts=4, **kwargs):
    return ClusterData(data, num_parts, log=False, **kwargs)


def test_clusters_of_citeseer_cut_few_edges(citeseer):
    clusters = parts(citeseer, 10)
    size = clusters.cluster.bincount()
    assert size.numel() == 10 and int(size.sum()) == 3327
    assert size.max() < 1.5 * 332.7
    row, col = clusters.cluster[citeseer.edge_index]
    assert (row == col).float().mean() > 0.85  # by chance: 0.1
    assert torch.equal(clusters.cluster, parts(citeseer, 10).cluster)


@pytest.mark.parametrize('batch_size', [1, 3])
def test_batches_know_their_nodes(karate, batch_size):
    clusters = parts(karate)
    loader = ClusterLoader(clusters, batch_size=batch_size, shuffle=True)
    seen = []
    for batch in loader:
        assert torch.equal(batch.x, karate.x[batch.n_id])
        assert torch.equal(batch.y, karate.y[batch.n_id])
        edge_index, _ = subgraph(batch.n_id, karate.edge_index)
        given = batch.n_id[batch.edge_index].t().tolist()
        assert sorted(given) == sorted(edge_index.t().tolist())
        assert clusters.cluster[batch.n_id].unique().numel() <= batch_size
        seen += batch.n_id.tolist()
    assert sorted(seen) == list(range(34))
    assert 'n_id' not in karate


def test_batches_of_a_poisoned_graph(karate):
    poisoned = PoisonGraph(add=20, remove=5)(karate)
    for batch in ClusterLoader(parts(poisoned), batch_size=2):
        edge_index, _ = subgraph(batch.n_id, poisoned.edge_index)
        assert batch.num_edges == edge_index.size(1)


def test_a_directed_graph_is_cut_as_its_undirected_one(karate):
    directed = karate.clone()
    row, col = karate.edge_index
    directed.edge_index = karate.edge_index[:, row < col]
    assert torch.equal(parts(directed).cluster, parts(karate).cluster)


def test_recursive_bisection(karate):
    size = parts(karate, recursive=True).cluster.bincount()
    assert size.numel() == 4 and size.max() < 12


@pytest.mark.parametrize('form', ['csr', 'csc'])
def test_the_file_is_that_of_pyg(karate, tmp_path, form):
    made = parts(karate, save_dir=tmp_path, sparse_format=form)
    again = parts(karate, save_dir=tmp_path, sparse_format=form)
    assert torch.equal(made.cluster, again.cluster)
    stock = torch_geometric.loader.ClusterData(
        karate, 4, save_dir=tmp_path, sparse_format=form, log=False
    )
    assert torch.equal(stock.partition.node_perm, made.partition.node_perm)


def test_the_file_of_another_graph_is_refused(karate, tmp_path):
    parts(karate, save_dir=tmp_path)
    swapped = karate.clone()
    swapped.edge_index = (33 - karate.edge_index).flip(1)
    smaller = karate.clone()
    smaller.edge_index = karate.edge_index[:, 2:]
    for other in (swapped, smaller):
        with pytest.raises(ValueError, match='no partition of this graph'):
            parts(other, save_dir=tmp_path)
    with pytest.raises(ValueError, match='as .csc.: remove'):
        parts(karate, save_dir=tmp_path, sparse_format='csc')


class Harm:
    def __reduce__(self):
        return os.mkdir, ('harm',)


@pytest.mark.parametrize('content', [Harm(), {'a': 1}, None])
def test_a_file_that_is_no_partition_runs_nothing(
    karate, tmp_path, monkeypatch, content
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / PLACE).parent.mkdir()
    if content is None:
        (tmp_path / PLACE).write_bytes(b'cut off')
    else:
        torch.save(content, tmp_path / PLACE)
    with pytest.raises(ValueError, match='no partition of .*: remove'):
        parts(karate, save_dir=tmp_path)
    assert not (tmp_path / 'harm').exists()


def has_other_metis():
    try:
        torch.ops.torch_sparse.partition  # noqa: B018
        return True
    except AttributeError:
        return importlib.util.find_spec('pyg_lib') is not None


@pytest.mark.skipif(has_other_metis(), reason='there is another METIS')
def test_without_metis_the_package_is_named(karate, monkeypatch):
    def refuse(name, *args, **kwargs):
        if name == 'pymetis':
            raise ImportError
        return original(name, *args, **kwargs)

    original = builtins.__import__
    monkeypatch.delitem(sys.modules, 'pymetis', raising=False)
    monkeypatch.setattr(builtins, '__import__', refuse)
    with pytest.raises(ImportError, match='pip install pymetis'):
        parts(karate)


@pytest.mark.parametrize('num_parts', [0, 18])
def test_bad_number_of_parts(karate, num_parts):
    with pytest.raises(ValueError, match="'num_parts' must lie in"):
        parts(karate, num_parts)


def test_clusters_of_one_node_are_refused(karate):
    with pytest.raises(ValueError, match="'num_parts' = 17 leaves a cluster"):
        parts(karate, 17)


@pytest.mark.parametrize('node', [34, -1, 2**40])
def test_ids_out_of_range_never_reach_metis(karate, node):
    karate.edge_index[0, 3] = node
    with pytest.raises(ValueError, match="'data.edge_index' .*ids in"):
        parts(karate)


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ({'num_parts': 2.0}, "'num_parts' must be an int"),
        ({'recursive': 'no'}, "'recursive' must be a bool"),
        ({'sparse_format': 'coo'}, "'sparse_format' must be 'csr' or"),
        ({'save_dir': 3}, "'save_dir' must be a str or PathLike"),
        ({'filename': 3}, "'filename' must be a str"),
    ],
)
def test_bad_arguments_are_refused(karate, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        parts(karate, **given)


def test_what_is_no_graph_is_refused(karate):
    for data in (None, HeteroData(), karate.edge_index):
        with pytest.raises(TypeError, match="'data' must be a"):
            parts(data)
    for index in (torch.zeros(2, 0).long(), torch.ones(2, 3).long()):
        with pytest.raises(ValueError, match="'data.edge_index'"):
            parts(Data(edge_index=index, num_nodes=8))


def test_a_cluster_that_cannot_be_loaded_is_refused():
    index = torch.tensor([[0, 1], [1, 0]])
    data = Data(edge_index=index, num_nodes=12)
    with pytest.raises(ValueError, match='nodes have no edges'):
        parts(data, 2)


def test_a_folder_that_cannot_be_made_is_refused_at_once(karate, tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(OSError, match="'save_dir' must be writable"):
        parts(karate, save_dir=tmp_path / 'file')


@pytest.mark.parametrize('name', ['index', 'node_perm', 'edge_perm', 'indptr'])
def test_a_saved_partition_with_wrong_ids_is_refused(karate, tmp_path, name):
    parts(karate, save_dir=tmp_path)
    saved = torch.load(tmp_path / PLACE, weights_only=True)
    getattr(saved, name)[1] = 10**6
    torch.save(saved, tmp_path / PLACE)
    with pytest.raises(ValueError, match='no partition of'):
        parts(karate, save_dir=tmp_path)
