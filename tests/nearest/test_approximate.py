import importlib.util

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.testing import withPackage

from torch_geometric_vgcn.nearest import (
    ApproximateSearch,
    Cosine,
    ExactSearch,
    Minkowski,
)
from torch_geometric_vgcn.transforms import KNNGraph


# Numba compiles for up to a minute for each metric.
@withPackage('pynndescent')
@pytest.mark.parametrize(
    ('metric', 'sparse'),
    [
        (Cosine(), False),
        pytest.param(Cosine(), True, marks=pytest.mark.slow),
        pytest.param(Minkowski(), False, marks=pytest.mark.slow),
        pytest.param(Minkowski(), True, marks=pytest.mark.slow),
        pytest.param(Minkowski(1), False, marks=pytest.mark.slow),
        pytest.param(Minkowski(3), False, marks=pytest.mark.slow),
        pytest.param(Minkowski(torch.inf), False, marks=pytest.mark.slow),
    ],
)
def test_most_neighbours_are_found(metric, sparse):
    center = torch.randn(20, 16)
    x = center.repeat(50, 1) + torch.randn(1000, 16) / 2
    exact = ExactSearch()(x, 10, metric)
    x = x.to_sparse() if sparse else x
    found = ApproximateSearch()(x, 10, metric)
    assert found.shape == (1000, 10)
    assert (found.diff(dim=-1) > 0).all()
    assert (found != torch.arange(1000).view(-1, 1)).all()
    hit = (found.unsqueeze(-1) == exact.unsqueeze(1)).any(dim=-1)
    assert hit.float().mean() > 0.95


@withPackage('pynndescent')
def test_its_seed_is_all_that_matters():
    data = Data(x=torch.randn(500, 8))
    transform = KNNGraph(5, search=ApproximateSearch(seed=1))
    state = torch.get_rng_state()
    expected = transform(data).edge_index
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(7)
    assert torch.equal(transform(data).edge_index, expected)


@withPackage('pynndescent')
def test_many_equal_nodes_are_not_their_own_neighbours():
    x = torch.randn(3, 8).repeat(100, 1)
    found = ApproximateSearch()(x, 5, Cosine())
    assert (found != torch.arange(300).view(-1, 1)).all()


@pytest.mark.skipif(
    importlib.util.find_spec('pynndescent') is not None,
    reason='pynndescent is there',
)
def test_the_missing_package_is_named():
    with pytest.raises(ImportError, match='pip install pynndescent'):
        ApproximateSearch()(torch.randn(10, 2), 3, Cosine())
