"""What has a seed of its own depends on nothing else, and disturbs nothing."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GAT, GCN, GCNConv, GraphSAGE

from torch_geometric_vgcn import (
    AllPairs,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.attacks import (
    GradientAttack,
    LearnerSurrogate,
    TrainedGCN,
)
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.report import report
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    predict_clusters,
    write_graph,
)
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    KNNGraph,
    PoisonGraph,
    RandomPerturbation,
    ShuffleFeatures,
)


def table():
    x, y = make_classification(80, n_informative=4, random_state=0)
    y[30:] = -1
    return x, y


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def classified(seed=0):
    made = VGCNClassifier(max_iter=20, hidden=16, random_state=seed)
    made.fit(*table())
    return torch.from_numpy(made.label_distributions_)


def regressed(seed=0):
    x, _ = table()
    y = np.where(np.arange(80) < 30, x @ np.arange(20.0), np.nan)
    made = VGCNRegressor(max_iter=20, hidden=16, random_state=seed)
    return torch.from_numpy(made.fit(x, y).predict(x))


def attacked(seed=0):
    attack = GradientAttack(5, TrainedGCN(epochs=5), epochs=5, seed=seed)
    return attack(karate()).edge_index


def attacked_with_the_defence(seed=0):
    surrogate = LearnerSurrogate(epochs=5)
    attack = GradientAttack(5, surrogate, epochs=5, seed=seed)
    return attack(karate()).edge_index


def transformed(seed=0):
    data = karate()
    for transform in (
        RandomPerturbation(add=5, remove=5, seed=seed),
        PoisonGraph(add=3, dim=4, seed=seed),
        ShuffleFeatures(0.5, seed=seed),
        HalfValidation(seed=seed),
    ):
        data = transform(data)
    return torch.cat([data.x.flatten(), data.edge_index.flatten()])


def neighbours(seed=0):
    x = torch.randn(500, 4, generator=torch.Generator().manual_seed(seed))
    return KNNGraph(4)(Data(x=x)).edge_index


def clusters(seed=0):
    return ClusterData(karate(), 4, log=False).cluster


SEEDED = [
    classified,
    regressed,
    attacked,
    attacked_with_the_defence,
    transformed,
    neighbours,
    clusters,
]


def drawn():
    """One number of each global generator."""
    return torch.rand(()).item(), np.random.rand(), random.random()


def states():
    kind, key, *rest = np.random.get_state()
    return (
        torch.get_rng_state().tolist(),
        (kind, key.tolist(), *rest),
        random.getstate(),
    )


@contextmanager
def another_thread():
    """Seeds and uses the global generators all the time. Yields whether it
    has had other numbers than its own.
    """
    over, wrong = threading.Event(), []
    seed_everything(5)
    expected = [drawn() for _ in range(20)]

    def work():
        while not over.is_set():
            seed_everything(5)
            if [drawn() for _ in range(20)] != expected:
                wrong.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield wrong
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize('call', SEEDED)
def test_global_random_numbers_stay_as_they_are(call):
    seed_everything(3)
    before = states()
    call()
    assert states() == before


@pytest.mark.parametrize('call', SEEDED)
def test_only_its_own_seed_determines_the_result(call):
    expected = call()
    seed_everything(3)
    assert torch.equal(call(), expected)
    if call not in (neighbours, clusters):
        assert not call(seed=1).equal(expected)


@pytest.mark.parametrize('call', SEEDED)
def test_it_neither_disturbs_another_thread_nor_is_disturbed(call):
    expected = call()
    with another_thread() as wrong:
        got = [call() for _ in range(2)]
    assert all(torch.equal(one, expected) for one in got)
    assert not wrong


@pytest.mark.parametrize('call', [classified, regressed, attacked])
def test_two_threads_at_once_are_each_as_alone(call):
    expected = [call(seed) for seed in (0, 0, 1)]
    with ThreadPoolExecutor(3) as pool:
        got = list(pool.map(call, (0, 0, 1)))
    for one, other in zip(got, expected, strict=True):
        assert torch.equal(one, other)


def test_a_report_depends_on_no_seed(tmp_path):
    data = karate()
    prior = SmoothedPrior(data.edge_index, 34)
    seed_everything(0)
    learner = VariationalGraphLearner(GCN(34, 8, 2, 4), prior).eval()
    learner(data.x)

    def page(name):
        report(learner, tmp_path / name, data)
        return (tmp_path / name).read_bytes()

    expected = page('one.html')
    before = states()
    assert page('two.html') == expected
    assert states() == before
    with another_thread() as wrong:
        assert all(page(f'{k}.html') == expected for k in range(3))
    assert not wrong


class Alone(nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv = conv
        self.drawn = []

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index, edge_weight)


class Watched(Alone):
    """Another thread draws from the global generators in each call."""

    def forward(self, x, edge_index, edge_weight=None):
        with ThreadPoolExecutor(1) as pool:
            self.drawn.append(pool.submit(drawn).result())
        return self.conv(x, edge_index, edge_weight)


@pytest.mark.parametrize('predict', [True, False])
def test_a_first_call_disturbs_no_other_thread(graph, predict):
    conv = Watched(GCN(3, 8, 2, 2, dropout=0.5, norm='batch_norm'))
    learner = VariationalGraphLearner(conv, SmoothedPrior(graph, 6))
    x, noise = torch.randn(6, 3), learner.noise(2)
    learner.eval()  # no dropout in the call itself
    seed_everything(4)
    call = learner.predict if predict else learner
    call(x, noise=noise)
    got = conv.drawn
    seed_everything(4)
    assert len(got) > 2
    assert got == [drawn() for _ in got]


@pytest.mark.parametrize('net', [GCN, GAT, GraphSAGE])
@pytest.mark.parametrize('pairs', [None, AllPairs(6)])
def test_a_first_call_leaves_global_random_numbers(graph, net, pairs):
    conv = net(3, 8, 2, 2, dropout=0.5, norm='batch_norm')
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    learner = VariationalGraphLearner(conv, prior).eval()
    x, noise = torch.randn(6, 3), learner.noise(2)
    seed_everything(4)
    before = states()
    first = learner(x, noise=noise)
    assert states() == before
    assert torch.equal(learner(x, noise=noise), first)


@pytest.mark.parametrize('net', [GCN, GAT])
def test_training_follows_the_global_seed(net):
    data, losses = karate(), []
    for seed in (0, 0, 1):
        seed_everything(seed)
        conv = net(34, 8, 2, 4, dropout=0.5)
        prior = SmoothedPrior(data.edge_index, 34)
        learner = VariationalGraphLearner(conv, prior)
        result = fit(learner, data, epochs=5, progress=False)
        losses.append([row['loss'] for row in result.history])
    assert losses[0] == losses[1] != losses[2]


def partitioned(folder, wrap):
    data = karate()
    graph = write_graph(
        folder, data.x, data.edge_index, data.y, data.train_mask,
        data.val_mask, cluster=torch.arange(34) % 4, progress=False,
    )  # fmt: skip
    seed_everything(0)
    net = GCN(34, 8, 2, 4, dropout=0.5)
    prior, posterior = graph.prior(), ShardedPosterior()
    learner = VariationalGraphLearner(wrap(net), prior, posterior)
    loader = StoredClusters(graph, 2)
    result = fit(learner, graph, loader, epochs=3, progress=False)
    seed_everything(0)
    _, prob = predict_clusters(learner, num_samples=3)
    return result.history, prob


def test_training_on_disk_is_not_disturbed_by_another_thread(tmp_path):
    history, prob = partitioned(tmp_path / 'one', Alone)
    again, others = partitioned(tmp_path / 'two', Watched)
    assert again == history
    assert torch.equal(others, prob)


class Checkpointed(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.first = GCNConv(34, 34)

    def forward(self, x, edge_index, edge_weight=None):
        x = self.first(x, edge_index, edge_weight)
        return checkpoint(
            self.net, x, edge_index, edge_weight, use_reentrant=False
        )


def test_dropout_that_cannot_be_repeated_is_refused(tmp_path):
    # A recomputation in the backward pass would draw other numbers.
    with pytest.raises(RuntimeError, match='checkpoint'):
        partitioned(tmp_path, Checkpointed)
