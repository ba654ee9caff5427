import numpy as np
import pytest
import torch
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from torch_geometric.data import Data
from torch_geometric.transforms import Compose
from torch_geometric.utils import is_undirected, to_dense_adj

from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph


@pytest.fixture
def data():
    mask = torch.arange(40) % 4
    return Data(
        x=torch.randn(40, 5),
        y=torch.arange(40) % 3,
        edge_index=torch.tensor([[0, 1], [1, 0]]),
        edge_attr=torch.ones(2, 1),
        train_mask=mask == 0,
        val_mask=mask == 1,
    )


def by_scikit_learn(x, k, metric):
    directed = kneighbors_graph(x.double(), k, metric=metric).toarray()
    return torch.from_numpy(np.maximum(directed, directed.T)).float()


@pytest.mark.parametrize('k', [1, 4, 39])
@pytest.mark.parametrize('cosine', [True, False])
def test_neighbours_are_those_of_scikit_learn(data, k, cosine):
    edge_index = KNNGraph(k, cosine)(data).edge_index
    metric = 'cosine' if cosine else 'euclidean'
    expected = by_scikit_learn(data.x, k, metric)
    assert torch.equal(to_dense_adj(edge_index)[0], expected)


def test_neighbours_far_from_the_origin_are_exact(data):
    data.x += 1000
    edge_index = KNNGraph(4, cosine=False)(data).edge_index
    expected = by_scikit_learn(data.x, 4, 'euclidean')
    assert torch.equal(to_dense_adj(edge_index)[0], expected)


def test_neighbours_in_citeseer_are_those_of_scikit_learn(citeseer):
    k, x = 20, citeseer.x.numpy()
    nearest = NearestNeighbors(n_neighbors=k, metric='cosine').fit(x)
    reach = nearest.kneighbors()[0][:, -1]  # distance of the k-th neighbour
    distance = pairwise_distances(x, metric='cosine')
    np.fill_diagonal(distance, np.inf)
    edge_index = KNNGraph(k)(citeseer).edge_index
    found = to_dense_adj(edge_index, max_num_nodes=len(x))[0].numpy() > 0

    # Which of several equally near nodes was taken doesn't matter:
    must = distance < reach[:, None] - 1e-5
    may = distance <= reach[:, None] + 1e-5
    assert found[must | must.T].all()
    assert not found[~(may | may.T)].any()
    assert (found.sum(axis=1) >= k).all()


def test_the_graph_is_undirected_without_self_loops(data):
    out = KNNGraph(4)(data)
    assert is_undirected(out.edge_index)
    assert not out.has_self_loops()
    assert out.edge_attr is None


def test_sparse_features_equal_dense_ones(data):
    expected = KNNGraph(4)(data).edge_index
    data.x = data.x.to_sparse()
    assert torch.equal(KNNGraph(4)(data).edge_index, expected)


def test_the_rest_of_the_data_is_kept(data):
    out = KNNGraph(4)(data)
    for name in ('x', 'y', 'train_mask', 'val_mask'):
        assert out[name] is data[name]
    assert data.edge_index.tolist() == [[0, 1], [1, 0]]


def test_it_composes(data):
    out = Compose([HalfValidation(), KNNGraph(4)])(data)
    assert torch.equal(out.edge_index, KNNGraph(4)(data).edge_index)
    assert int(out.val_mask.sum()) == 5


def test_what_has_no_neighbours_is_refused(data):
    with pytest.raises(ValueError, match="'k' must be at least 1, got 0"):
        KNNGraph(0)
    with pytest.raises(ValueError, match=r'nodes \(40\), got 40'):
        KNNGraph(40)(data)
    data.x = data.x.index_fill(0, torch.tensor([3]), torch.nan)
    with pytest.raises(ValueError, match="'data.x' must be finite, got 5"):
        KNNGraph(4)(data)
