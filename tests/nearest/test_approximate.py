import importlib.util

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.testing import withPackage

from torch_geometric_vgcn import nearest
from torch_geometric_vgcn.nearest import (
    ApproximateSearch,
    Cosine,
    ExactSearch,
    Minkowski,
)
from torch_geometric_vgcn.nearest.approximate import search_for
from torch_geometric_vgcn.nearest.cells import near_cells
from torch_geometric_vgcn.transforms import KNNGraph


# Numba compiles for up to a minute for each metric.
@withPackage('pynndescent')
@pytest.mark.parametrize(
    ('metric', 'sparse'),
    [
        pytest.param(Cosine(), True, marks=pytest.mark.slow),
        (Minkowski(), False),
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
    search = ApproximateSearch(seed=1)
    transform = KNNGraph(5, metric=Minkowski(), search=search)
    state = torch.get_rng_state()
    expected = transform(data).edge_index
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(7)
    assert torch.equal(transform(data).edge_index, expected)


def test_small_tables_are_searched_exactly():
    assert isinstance(search_for(50_000), ExactSearch)
    there = importlib.util.find_spec('pynndescent') is not None
    assert isinstance(search_for(50_001), ApproximateSearch) == there


def test_cells_find_most_neighbours():
    x = torch.randn(5000, 5)
    x[1] = x[0]
    exact = ExactSearch()(x, 10, Minkowski())
    found = near_cells(x, 10, Minkowski())
    assert found.shape == (5000, 10) and found[0, 0] == 1
    assert (found != torch.arange(5000).view(-1, 1)).all()
    hit = (found.unsqueeze(-1) == exact.unsqueeze(1)).any(dim=-1)
    assert hit.float().mean() > 0.99


def test_the_former_name_still_works():
    with pytest.warns(DeprecationWarning, match='ApproximateSearch'):
        assert nearest.CellSearch is ApproximateSearch


@pytest.mark.skipif(
    importlib.util.find_spec('pynndescent') is not None,
    reason='pynndescent is there',
)
def test_the_missing_package_is_named():
    with pytest.raises(ImportError, match='knn'):
        ApproximateSearch()(torch.randn(10, 2), 3, Cosine())
