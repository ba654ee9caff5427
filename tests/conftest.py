import pytest
import torch
from hypothesis import settings

from torch_geometric_vgcn.datasets import planetoid, polblogs

# The same examples each time, however busy the machine:
settings.register_profile(
    'vgcn', deadline=None, derandomize=True, database=None, max_examples=50
)
settings.load_profile('vgcn')

# Tiny tensors: a second thread costs more than it helps.
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture
def graph():
    """Two triangles of six nodes and an edge between, in both directions."""
    index = torch.tensor([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])
    return torch.cat([index, index.flip(0)], dim=1)


@pytest.fixture(scope='session')
def planetoid_cache(tmp_path_factory):
    return tmp_path_factory.mktemp('planetoid')


@pytest.fixture(scope='session')
def citeseer(planetoid_cache):
    return _load('CiteSeer', planetoid_cache)


@pytest.fixture(scope='session')
def cora(planetoid_cache):
    return _load('Cora', planetoid_cache)


@pytest.fixture(scope='session')
def blogs(tmp_path_factory):
    try:
        return polblogs(cache=tmp_path_factory.mktemp('polblogs'))[0]
    except FileNotFoundError as error:
        pytest.skip(str(error))


def _load(name, cache):
    try:
        return planetoid(name, cache=cache)[0]
    except FileNotFoundError as error:
        pytest.skip(str(error))
