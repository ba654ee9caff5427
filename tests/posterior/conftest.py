import pytest
import torch

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.prior import SmoothedPrior


@pytest.fixture(params=['all pairs', 'candidates'])
def prior(request, graph):
    pairs = AllPairs(6) if request.param == 'all pairs' else None
    return SmoothedPrior(graph, 6, pairs=pairs)


@pytest.fixture
def x():
    return torch.randn(6, 4)
