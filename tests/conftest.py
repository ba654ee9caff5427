r"""What tests share. Modules of tests can't be imported (import mode
``importlib``), so helper functions are fixtures, too.

- Graphs: ``graph`` (edges of two triangles), ``data`` (the same as ``Data``),
  ``karate`` (34 nodes, with all masks), ``citeseer``, ``cora``, ``blogs``
- Learners: ``learner_of(graph or data, net, **parts)``,
  ``learner_with(*probs)``, ``learner``
- ``batches_of(data, parts=4, size=2)``: a loader of clusters
- ``same_state(a, b)``: whether two modules, or states, hold equal tensors
- ``along_edges(conv, x, sample)``: a conv on weighted edges, the slow way
- ``browser``: Chromium
"""

import shutil

import pytest
import torch
from hypothesis import settings
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn import (
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.datasets import planetoid, polblogs
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.message_passing import EdgeWeights

# The same examples each time, however busy the machine:
settings.register_profile(
    'vgcn', deadline=None, derandomize=True, database=None, max_examples=50
)
settings.register_profile(
    'long', deadline=None, database=None, max_examples=400
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
def karate():
    """Four classes of 34 nodes, one label of each for training."""
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    data.test_mask = ~data.train_mask & ~data.val_mask
    return data


@pytest.fixture
def learner_of():
    """A function that makes the learner of a graph, from a seed.

    The graph is ``Data``, or edges of six nodes with three features and two
    classes. A class of PyG's models gets two layers of 8 channels; a module is
    taken as it is. Other arguments are those of ``SmoothedPrior`` (unless
    there is a prior) and of the learner, whose posterior is free by default.
    """

    def make(graph, net=GCN, prior=None, *, seed=0, dropout=0.0, **parts):
        edge_index, num_nodes, sizes = graph, 6, (3, 2)
        if isinstance(graph, Data):
            edge_index, num_nodes = graph.edge_index, graph.num_nodes
            sizes = graph.num_features, int(graph.y.max()) + 1
        seed_everything(seed)
        if isinstance(net, type):
            net = net(sizes[0], 8, 2, sizes[1], dropout=dropout)
        names = ('rho1', 'rho0', 'pairs', 'edge_attr')
        given = {name: parts.pop(name) for name in names if name in parts}
        prior = prior or SmoothedPrior(edge_index, num_nodes, **given)
        parts = {'posterior': FreePosterior(), **parts}
        return VariationalGraphLearner(net, prior, **parts)

    return make


@pytest.fixture
def batches_of():
    """A function that makes a loader of a graph's clusters."""

    def make(data, parts=4, size=2, **options):
        clusters = ClusterData(data, parts, log=False)
        return ClusterLoader(clusters, batch_size=size, **options)

    return make


@pytest.fixture
def same_state():
    """Whether two modules, or two states, hold the same tensors."""

    def same(first, second):
        first, second = (
            each.state_dict() if hasattr(each, 'state_dict') else each
            for each in (first, second)
        )
        return first.keys() == second.keys() and all(
            torch.equal(value, second[name])
            for name, value in first.items()
            if isinstance(value, torch.Tensor)
        )

    return same


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
