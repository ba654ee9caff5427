import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances

from torch_geometric_vgcn.nearest import (
    ApproximateSearch,
    Cosine,
    ExactSearch,
    Minkowski,
)
from torch_geometric_vgcn.nearest.exact import nearest_rows

METRICS = [
    Cosine(),
    Minkowski(),
    Minkowski(1),
    Minkowski(3.5),
    Minkowski(float('inf')),
]


def distances(x, metric):
    """All distances by scikit-learn in double precision, own ones infinite."""
    x = x.to_dense().double().numpy()
    if isinstance(metric, Cosine):
        distance = pairwise_distances(x, metric='cosine')
    elif metric.p == 2:
        distance = pairwise_distances(x, metric='euclidean')
    elif metric.p == float('inf'):
        distance = pairwise_distances(x, metric='chebyshev')
    else:
        distance = pairwise_distances(x, metric='minkowski', p=metric.p)
    return torch.from_numpy(distance).fill_diagonal_(torch.inf)


def assert_nearest(neighbor, distance, k, atol=1e-7):
    """The right neighbours, whichever of equally far ones."""
    assert neighbor.shape == (distance.size(0), k)
    assert (neighbor.diff(dim=-1) > 0).all()  # ascending, none twice
    reach = distance.sort(dim=-1).values[:, k - 1 : k]
    found = torch.zeros_like(distance, dtype=torch.bool)
    found.scatter_(1, neighbor, True)
    assert found[distance < reach - atol].all()
    assert not found[distance > reach + atol].any()


def first_nearest(distance, k):
    """Of equally far ones the first, with distances as equal as digits say."""
    order = distance.round(decimals=6).argsort(dim=-1, stable=True)
    return order[:, :k].sort(dim=-1).values


@pytest.mark.parametrize('name', ['citeseer', 'cora'])
@pytest.mark.parametrize(
    ('metric', 'num_nodes'),
    [(Cosine(), None), (Minkowski(), None), (Minkowski(1), 800)],
)
def test_planetoid_neighbours_are_those_of_scikit_learn(
    name, metric, num_nodes, request
):
    x = request.getfixturevalue(name).x[:num_nodes]
    x = (x > 0).float()  # ties by the hundred
    distance = distances(x, metric)
    neighbor = ExactSearch()(x, 20, metric)
    assert torch.equal(neighbor, first_nearest(distance, 20))


@pytest.mark.parametrize('metric', METRICS, ids=str)
@pytest.mark.parametrize('dtype', [torch.float, torch.double])
def test_measurements(metric, dtype):
    x = torch.randn(300, 12, dtype=dtype)
    for k in (1, 7, 299):
        neighbor = ExactSearch()(x, k, metric)
        assert_nearest(neighbor, distances(x, metric), k)


@pytest.mark.parametrize('metric', METRICS, ids=str)
def test_normalised_bags_of_words(citeseer, metric):
    x = citeseer.x[:400, :500]
    x = x / x.sum(dim=-1, keepdim=True).clamp(min=1)
    neighbor = ExactSearch()(x, 20, metric)
    assert_nearest(neighbor, distances(x, metric), 20)


def test_the_scale_of_rows_does_not_matter_to_cosine(citeseer):
    x = citeseer.x
    expected = ExactSearch()(x, 20, Cosine())
    scale = torch.rand(len(x), 1) + 0.1
    assert torch.equal(ExactSearch()(x * scale, 20, Cosine()), expected)
    unit = torch.nn.functional.normalize(x)
    assert torch.equal(ExactSearch()(unit, 20, Cosine()), expected)


@pytest.mark.parametrize('metric', METRICS, ids=str)
@pytest.mark.parametrize('layout', ['to_sparse_coo', 'to_sparse_csr'])
@pytest.mark.parametrize('density', [0.05, 0.5])
def test_sparse_features_equal_dense_ones(metric, layout, density):
    x = torch.rand(200, 40) * (torch.rand(200, 40) < density)
    expected = ExactSearch()(x, 9, metric)
    assert torch.equal(
        ExactSearch()(getattr(x, layout)(), 9, metric), expected
    )


@pytest.mark.parametrize('metric', METRICS, ids=str)
@pytest.mark.parametrize('scale', [1.0, 1e-30, 1e30])
def test_of_equal_features_the_first_are_taken(metric, scale):
    x = torch.randn(4, 30).repeat(50, 1) * scale  # node i is like i + 4
    node = torch.arange(200)
    expected = torch.stack([node[node % 4 == i % 4][:11] for i in node])
    mask = (expected != node.view(-1, 1)) & (
        (expected == node.view(-1, 1)).any(-1, keepdim=True)
        | (torch.arange(11) < 10)
    )
    expected = expected[mask].view(200, 10)
    assert torch.equal(ExactSearch()(x, 10, metric), expected)


def test_empty_features_are_as_far_from_all():
    for least in (0, -1):
        x = torch.rand(600, 5) * (1 - least) + least
        x[[2, 500]] = 0
        neighbor = ExactSearch()(x, 3, Cosine())
        assert neighbor[2].tolist() == [0, 1, 3]
        assert neighbor[500].tolist() == [0, 1, 2]
        assert_nearest(neighbor, distances(x, Cosine()), 3)
    assert ExactSearch()(torch.zeros(5, 2), 2, Cosine()).tolist() == [
        [1, 2], [0, 2], [0, 1], [0, 1], [0, 1],
    ]  # fmt: skip


@pytest.mark.parametrize('p', [1, 2, 3.5, float('inf')])
def test_small_distances_far_from_the_origin(p):
    x = 1000 + torch.randn(200, 4) / 100
    x[0] = -1e4
    metric = Minkowski(p)
    assert_nearest(ExactSearch()(x, 5, metric), distances(x, metric), 5)


def test_half_precision_and_gradients_are_no_obstacle():
    x = torch.randn(50, 4).half()
    expected = ExactSearch()(x.float(), 5, Cosine())
    assert torch.equal(ExactSearch()(x, 5, Cosine()), expected)
    x = x.float().requires_grad_()
    assert torch.equal(ExactSearch()(x, 5, Cosine()), expected)


@given(
    st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 8),
    st.sampled_from(METRICS), st.sampled_from([2, 10, 1000]),
    st.sampled_from([1.0, 0.1, 1 / 3]), st.data(),
)  # fmt: skip
def test_any_features(seed, nodes, width, metric, values, unit, data):
    generator = torch.Generator().manual_seed(seed)
    size = (nodes, width)
    x = torch.randint(-1, values, size, generator=generator).float() * unit
    k = data.draw(st.integers(1, nodes - 1))
    neighbor = ExactSearch()(x, k, metric)
    # scikit-learn's cosine distance has rounding errors of 1e-16.
    assert_nearest(neighbor, distances(x, metric), k)
    assert torch.equal(ExactSearch(3)(x, k, metric), neighbor)
    assert torch.equal(ExactSearch()(x.double(), k, metric), neighbor)
    assert torch.equal(ExactSearch()(x.to_sparse(), k, metric), neighbor)


@pytest.mark.parametrize(
    ('x', 'k', 'metric', 'message'),
    [
        (None, 1, Cosine(), "'x' must be a Tensor"),
        (torch.rand(5), 1, Cosine(), "'x' must be a real matrix"),
        (torch.full((5, 2), torch.nan), 1, Cosine(), "'x' must be finite"),
        (torch.rand(5, 2), 5, Cosine(), "'k' must be below.*5"),
        (torch.rand(5, 2), 1.0, Cosine(), "'k' must be an int"),
        (torch.rand(5, 2), 0, Cosine(), "'k' must be at least 1"),
        (torch.rand(5, 2), 1, 'cosine', "'metric' must be a Metric"),
    ],
)
def test_bad_searches_are_refused(x, k, metric, message):
    for search in (ExactSearch(), ApproximateSearch()):
        with pytest.raises((TypeError, ValueError), match=message):
            search(x, k, metric)


@pytest.mark.parametrize('p', [None, 'two', 1j, 0.5, torch.nan])
def test_the_order_is_a_number_of_at_least_one(p):
    with pytest.raises((TypeError, ValueError), match="'p' must be"):
        Minkowski(p)


@pytest.mark.parametrize('num_rows', [10, 600])
def test_the_rows_nearest_to_queries(num_rows):
    x, query = torch.randn(num_rows, 5), torch.randn(40, 5)
    x[4] = x[2]  # of equally near rows, the first
    distance, row = nearest_rows(x, query, 7)
    expected = torch.cdist(query.double(), x.double())
    expected, order = expected.sort(dim=1, stable=True)
    torch.testing.assert_close(distance, expected[:, :7])
    assert torch.equal(row, order[:, :7])
    one = [nearest_rows(x, q.unsqueeze(0), 7)[1] for q in query]
    assert torch.equal(row, torch.cat(one))
    with pytest.raises(ValueError, match=f"'k' must be at most {num_rows}"):
        nearest_rows(x, query, num_rows + 1)
