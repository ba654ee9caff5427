import shutil

import pytest
import torch
from hypothesis import settings
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.datasets import planetoid, polblogs
from torch_geometric_vgcn.message_passing import EdgeWeights

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


@pytest.fixture
def data(graph):
    """Two triangles, a class each; the edge 2-3 between them was added."""
    y = torch.tensor([0, 0, 0, 1, 1, 1])
    added = torch.tensor([[3], [2]])
    return Data(edge_index=graph, y=y, num_nodes=6, added_pairs=added)


@pytest.fixture
def along_edges():
    """Calls any conv on each graph along weighted edges: the slow way."""

    def call(conv, x, sample, attributes=None):
        outs = []
        for s in range(len(sample)):
            edge_index, weight = sample.edges(s)
            with EdgeWeights(edge_index, weight, x.size(-2)):
                outs.append(conv(x, edge_index))
        return torch.stack(outs) if len(outs) > 1 else outs[0]

    return call


@pytest.fixture
def learner_with(graph):
    """A learner whose posterior has the given probabilities, those of 0-1,
    0-2, 1-2, 2-3, 3-4, 3-5 and 4-5; the prior of each is one quarter.
    """

    def make(*probs, pairs=None):
        prior = SmoothedPrior(graph, 6, rho1=0.25, pairs=pairs)
        learner = VariationalGraphLearner(
            GCNConv(3, 2), prior, posterior=FreePosterior()
        )
        offset = torch.tensor(probs).logit() - torch.tensor(0.25).logit()
        with torch.no_grad():
            learner.posterior.offset[prior.pairs.contains(graph)] = offset
        return learner

    return make


@pytest.fixture
def learner(learner_with):
    return learner_with(0.9, 0.8, 0.26, 0.05, 0.7, 0.23, 0.25)


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


@pytest.fixture(scope='module')
def browser():
    playwright = pytest.importorskip(
        'playwright.sync_api', reason='needs the package playwright'
    )
    names = ('chromium', 'chromium-browser', 'google-chrome')
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip('needs Chromium: apt-get install chromium')
    # What is expected comes later on a busy machine:
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as driver:
        # As root there is no sandbox, and nothing but our own pages:
        found = driver.chromium.launch(
            executable_path=path, args=['--no-sandbox']
        )
        yield found
        found.close()


def _load(name, cache):
    try:
        return planetoid(name, cache=cache)[0]
    except FileNotFoundError as error:
        pytest.skip(str(error))
