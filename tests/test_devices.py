"""What other devices need, watched on the CPU: no step waits for values to
come back, and nothing is in double precision where a device has none.
"""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    BinaryConcrete,
    ClassPosterior,
    ClusterPairs,
    FreePosterior,
    Gaussian,
    LowRankPosterior,
    MultiLabel,
    message_passing,
    objective,
    sample,
    utils,
)
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import Consistency
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli
from torch_geometric_vgcn.utils import kernels_work

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
TRAIN = torch.tensor([0, 1, 4, 5])

# Operations whose results, or the sizes of them, the host has to wait for.
WAITS = {
    '_local_scalar_dense',
    '_unique2',
    'equal',
    'is_nonzero',
    'masked_select',
    'nonzero',
    'unique_consecutive',
    'unique_dim',
}


class Watch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.waits, self.doubles = [], []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in WAITS:
            self.waits.append(name)
        outs = out if isinstance(out, (tuple, list)) else [out]
        if any(getattr(o, 'dtype', None) == torch.double for o in outs):
            self.doubles.append(name)
        return out


@pytest.fixture
def elsewhere(monkeypatch):
    """As if all tensors were on a device without double precision."""
    for module in (
        utils.sparse_features,
        objective.categorical,
        objective.likelihood,
    ):
        monkeypatch.setattr(module, 'on_host', lambda tensor: False)
    for module in (
        utils.index,
        message_passing.verify,
        message_passing.edge_weights,
        objective.likelihood,
        objective.gaussian,
        objective.kl,
        sample.base,
    ):
        monkeypatch.setattr(module, 'wide', lambda device: torch.float)


@pytest.fixture
def made(learner_of):
    """A function that makes a learner with dropout and background edges."""

    def make(graph, net=GCN, **parts):
        net = net(4, 8, 2, 2, dropout=0.5)
        parts = {'posterior': None, 'rho0': 1e-2, **parts}
        return learner_of(graph, net, **parts)

    return make


def step(learner, optimizer, terms, y):
    optimizer.zero_grad()
    out = learner(X, num_samples=3)
    loss = learner.objective(out, y, TRAIN).loss
    for term in terms:
        loss = loss + term(out, y, TRAIN)
    loss.backward()
    optimizer.step()


def watched(learner, *terms, y=Y):
    optimizer = torch.optim.Adam(learner.parameters(), fused=True)
    for _ in range(2):  # what is looked at once was looked at
        step(learner, optimizer, terms, y)
    with Watch() as watch:
        step(learner, optimizer, terms, y)
    return watch


CLUSTERS = torch.tensor([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    'pairs',
    [None, AllPairs(6)],
    ids=['candidates', 'all pairs'],
)
@pytest.mark.parametrize(
    'posterior',
    [
        FreePosterior,
        lambda: LowRankPosterior(3),
        lambda: AmortizedPosterior(torch.nn.Linear(4, 4)),
        lambda: FreePosterior() + ClassPosterior(2),
    ],
    ids=['free', 'low rank', 'amortised', 'classes'],
)
@pytest.mark.parametrize(
    'sampler',
    [BinaryConcrete(), StraightThroughBernoulli(), PosteriorMean()],
    ids=lambda s: type(s).__name__,
)
def test_a_step_waits_for_no_value(
    graph, elsewhere, made, pairs, posterior, sampler
):
    parts = {'posterior': posterior(), 'sampler': sampler}
    learner = made(graph, pairs=pairs, **parts)
    watch = watched(learner)
    assert str(learner.route) == 'matrix'
    assert not watch.waits
    assert not watch.doubles


def of_sums(features, hidden, _, classes, dropout):
    return PropagatedMLP(features, hidden, classes)


def of_maxima(*args, **kwargs):
    return GraphSAGE(*args, **kwargs, aggr='max')


@pytest.mark.parametrize(
    'parts, terms, y',
    [
        ({'likelihood': Gaussian(2)}, (), X[:, :2]),
        ({'likelihood': MultiLabel()}, (), (X[:, :2] > 0).float()),
        ({}, (Consistency(2, warmup=0),), Y),
        ({}, (Consistency(2, warmup=2),), Y),
        ({}, (Consistency(2, warmup=100),), Y),
        ({'net': of_sums}, (), Y),
    ],
    ids=['Gaussian', 'MultiLabel', 'term', 'term 2', 'term 100', 'sums'],
)
def test_other_parts_wait_for_no_value(
    graph, elsewhere, made, parts, terms, y
):
    learner = made(graph, **parts)
    watch = watched(learner, *terms, y=y.clone())
    assert str(learner.route) == 'matrix'
    assert not watch.waits
    assert not watch.doubles
    with Watch() as watch:
        learner.predict(X)
    assert not watch.doubles


@pytest.mark.parametrize('net', [GAT, GraphSAGE, GIN, of_maxima])
def test_gated_convs_need_no_double_precision(graph, elsewhere, made, net):
    assert not watched(made(graph, net)).doubles


def test_clusters_need_no_double_precision(graph, elsewhere, made):
    inside = graph[:, CLUSTERS[graph[0]] == CLUSTERS[graph[1]]]
    learner = made(inside, pairs=ClusterPairs(CLUSTERS))
    assert not watched(learner).doubles


def test_predictions_need_no_double_precision(graph, elsewhere, made):
    learner = made(graph)
    learner.likelihood.set_temperature(2.0)
    learner.predict(X)
    with Watch() as watch:
        learner.predict(X)
        learner.learned_graph()
    assert not watch.doubles


def test_kernels_are_probed_for_each_device_and_type():
    cpu = torch.device('cpu')
    assert kernels_work(cpu, torch.float) == kernels_work(cpu, torch.double)
    assert not kernels_work(torch.device('meta'), torch.half)
    info = kernels_work.cache_info()
    kernels_work(cpu, torch.float)
    assert kernels_work.cache_info().hits == info.hits + 1
