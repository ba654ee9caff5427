import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_dense_adj

from torch_geometric_vgcn.nearest import Cosine, ExactSearch, Minkowski
from torch_geometric_vgcn.transforms import KNNGraph


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


@pytest.mark.parametrize('k', [1, 4])
def test_mutual_neighbours_are_seen_from_both_sides(data, k):
    directed = kneighbors_graph(data.x.double(), k, metric='cosine').toarray()
    expected = torch.from_numpy(np.minimum(directed, directed.T)).float()
    edge_index = KNNGraph(k, mutual=True)(data).edge_index
    assert torch.equal(to_dense_adj(edge_index, max_num_nodes=40)[0], expected)


@given(st.integers(0, 10**6), st.integers(2, 30), st.booleans(), st.data())
def test_any_graph(seed, num_nodes, cosine, draw):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(-1, 3, (num_nodes, 3), generator=generator).float()
    k = draw.draw(st.integers(1, num_nodes - 1))
    union = KNNGraph(k, cosine)(Data(x=x)).edge_index
    mutual = KNNGraph(k, cosine, mutual=True)(Data(x=x)).edge_index
    either = to_dense_adj(union, max_num_nodes=num_nodes)[0]
    both = to_dense_adj(mutual, max_num_nodes=num_nodes)[0]
    for matrix in (either, both):
        assert torch.equal(matrix, matrix.t())
        assert not matrix.diagonal().any()
        assert matrix.max() <= 1  # no edge twice
    assert (either.sum(dim=-1) >= k).all()
    assert (both.sum(dim=-1) <= k).all()
    assert (both <= either).all()


def test_metrics_and_searches_are_objects(data):
    for cosine, metric in ((True, Cosine()), (False, Minkowski(2))):
        expected = KNNGraph(4, cosine)(data).edge_index
        transform = KNNGraph(4, metric=metric, search=ExactSearch(7))
        assert torch.equal(transform(data).edge_index, expected)
    transform = KNNGraph(4, metric=Minkowski(1))
    expected = by_scikit_learn(data.x, 4, 'manhattan')
    assert torch.equal(to_dense_adj(transform(data).edge_index)[0], expected)
    assert str(transform) == 'KNNGraph(k=4, metric=Minkowski(p=1))'


def test_neighbours_by_another_attribute(data):
    data.pos = torch.arange(40.0).view(-1, 1)
    edge_index = KNNGraph(2, cosine=False, attr='pos')(data).edge_index
    inner = (edge_index > 2).all(dim=0) & (edge_index < 37).all(dim=0)
    row, col = edge_index[:, inner]
    assert ((row - col).abs() == 1).all()


@pytest.mark.parametrize('sparse', [False, True])
def test_examples_of_a_batch_are_not_connected(sparse):
    examples = [Data(x=torch.randn(size, 3)) for size in (12, 5, 9)]
    batch = Batch.from_data_list(examples)
    expected = Batch.from_data_list([KNNGraph(4)(data) for data in examples])
    if sparse:
        batch.x = batch.x.to_sparse_csr()
    assert torch.equal(KNNGraph(4)(batch).edge_index, expected.edge_index)
    with pytest.raises(ValueError, match=r"'data.batch' \(5\), got 5"):
        KNNGraph(5)(batch)


def test_a_batch_in_any_order(data):
    data.batch = torch.arange(40) % 2
    row, col = KNNGraph(4)(data).edge_index
    assert torch.equal(row % 2, col % 2)


def test_what_has_no_neighbours_is_refused(data):
    with pytest.raises(ValueError, match="'k' must be at least 1, got 0"):
        KNNGraph(0)
    with pytest.raises(ValueError, match=r'nodes \(40\), got 40'):
        KNNGraph(40)(data)
    data.x = data.x.index_fill(0, torch.tensor([3]), torch.nan)
    with pytest.raises(ValueError, match="'data.x' must be finite, got 5"):
        KNNGraph(4)(data)
    with pytest.raises(ValueError, match="'data.pos' is missing.* x, y"):
        KNNGraph(4, attr='pos')(data)
    with pytest.raises(
        ValueError, match=r'got torch.float32 of shape \[40, 0'
    ):
        KNNGraph(4)(Data(x=torch.zeros(40, 0)))
    with pytest.raises(TypeError, match="'metric' must be a Metric.*'cosine'"):
        KNNGraph(4, metric='cosine')


@pytest.mark.parametrize(
    'found',
    [
        torch.full((5, 2), 99),
        torch.full((5, 2), -1),
        torch.zeros(5, 2),
        torch.zeros(4, 2).long(),
        None,
    ],
    ids=['too high', 'negative', 'float', 'too few', 'none'],
)
def test_what_a_search_returns_is_checked(found):
    transform = KNNGraph(2, search=lambda x, k, metric: found)
    with pytest.raises(ValueError, match="'search' must return node ids"):
        transform(Data(x=torch.rand(5, 3)))


@pytest.mark.parametrize(
    'batch', [torch.zeros(4).long(), torch.zeros(5), [0, 0, 0, 1, 1]]
)
def test_a_batch_vector_has_one_int_for_each_node(batch):
    data = Data(x=torch.rand(5, 3), batch=batch)
    with pytest.raises(ValueError, match="'data.batch' must hold the example"):
        KNNGraph(1)(data)


@pytest.mark.parametrize(
    ('given', 'name'),
    [
        ({'k': 2.0}, 'k'),
        ({'k': None}, 'k'),
        ({'mutual': 1}, 'mutual'),
        ({'cosine': 'yes'}, 'cosine'),
        ({'attr': 3}, 'attr'),
        ({'search': 'exact'}, 'search'),
    ],
)
def test_arguments_of_another_type_are_refused(given, name):
    with pytest.raises(TypeError, match=f"'{name}' must be"):
        KNNGraph(**given)
