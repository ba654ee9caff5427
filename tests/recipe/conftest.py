import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn import VGCN
from torch_geometric_vgcn.recipe import (
    Effort,
    FixedMember,
    LearnedMember,
    given_graph,
    nearest_neighbors,
    no_graph,
)

SHORT = Effort(12, 12, warmup=4, folds=2, runs=2, num_samples=2)
MEMBERS = [
    FixedMember('no graph', no_graph),
    LearnedMember('near', nearest_neighbors),
    LearnedMember('given', given_graph, rho1=0.9),
]


def make_blocks(n=60, seed=0):
    """Three blocks of nodes: weak features, and a graph inside blocks."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % 3
    x = torch.randn(n, 5, generator=rng)
    x += 0.8 * torch.nn.functional.one_hot(y, 5)
    prob = torch.where(y.view(-1, 1) == y, 0.3, 0.02)
    edge = torch.rand(n, n, generator=rng) < prob
    edge_index = to_undirected(edge.triu(1).nonzero().t())
    part = torch.randperm(n, generator=rng) % 3
    return Data(
        x=x,
        y=y,
        edge_index=edge_index,
        train_mask=part == 0,
        val_mask=part == 1,
        test_mask=part == 2,
    )


def make_model(data, **options):
    if 'members' not in options:
        has_graph = data.get('edge_index') is not None
        options['members'] = MEMBERS if has_graph else MEMBERS[:2]
    options = {'effort': SHORT, 'progress': False, **options}
    return VGCN(data, **options)


@pytest.fixture
def blocks():
    return make_blocks()


@pytest.fixture
def model_of():
    return make_model


@pytest.fixture(scope='session')
def fitted():
    return make_model(make_blocks()).fit()
