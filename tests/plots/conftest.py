import matplotlib
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    """No picture leaves anything behind but its own figure."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close('all')
    assert dict(matplotlib.rcParams) == before


@pytest.fixture
def data(graph):
    """Two triangles, a class each; the edge 2-3 between them was added."""
    y = torch.tensor([0, 0, 0, 1, 1, 1])
    added = torch.tensor([[3], [2]])
    return Data(edge_index=graph, y=y, num_nodes=6, added_pairs=added)


@pytest.fixture
def learner_with(graph):
    """A learner whose posterior has the given probabilities, those of 0-1,
    0-2, 1-2, 2-3, 3-4, 3-5 and 4-5; the prior of each is one quarter.
    """

    def make(*probs, pairs=None):
        prior = SmoothedPrior(graph, 6, rho1=0.25, pairs=pairs)
        learner = VariationalGraphLearner(GCNConv(3, 2), prior)
        offset = torch.tensor(probs).logit() - torch.tensor(0.25).logit()
        with torch.no_grad():
            learner.posterior.offset[prior.pairs.contains(graph)] = offset
        return learner

    return make


@pytest.fixture
def learner(learner_with):
    return learner_with(0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25)
