"""A run that was cut off goes on to the same result, bit by bit."""

import os
import signal
import subprocess
import sys

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader, NeighborLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ClassPosterior,
    ClusterPairs,
    FixedGraph,
    FreePosterior,
    Gaussian,
    LogisticKL,
    MultiLabel,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.objective import IWELBO

SETTINGS = {'epochs': 12, 'patience': 100, 'progress': False}
NAN = float('nan')


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


DATA = karate()
CLUSTERS = ClusterData(DATA, 4, log=False)
PAIRS = ClusterPairs(CLUSTERS.cluster)
INSIDE = DATA.edge_index[:, PAIRS.joins(DATA.edge_index)]
TARGETS = torch.randn(34, 2)
TARGETS[4, 0] = NAN


def whole():
    return None


def clusters(size=2):
    return ClusterLoader(CLUSTERS, batch_size=size, shuffle=True)


def neighbors():
    pytest.importorskip('torch_sparse', reason='NeighborLoader needs it')
    return NeighborLoader(
        DATA, [4, 4], input_nodes=DATA.train_mask, batch_size=3, shuffle=True
    )


def net(outputs=4, **options):
    return GCN(34, 8, 2, outputs, dropout=0.5, **options)


def learner(conv=None, prior=None, **parts):
    prior = prior or SmoothedPrior(DATA.edge_index, 34)
    return VariationalGraphLearner(conv or net(), prior, **parts)


KINDS = {
    'default': learner,  # whose number of classes isn't known at first
    'batch norm': lambda: learner(net(norm='batch_norm')),
    'importance weighted': lambda: learner(
        posterior=FreePosterior(), objective=IWELBO(LogisticKL())
    ),
    'in its warm-up': lambda: learner(
        objective=SemiSupervisedELBO(LogisticKL(), weight=2.0, warmup=50)
    ),
    'classes': lambda: learner(posterior=ClassPosterior(4)),
    'sparse': lambda: learner(posterior=FreePosterior(sparse=True)),
    'propagated': lambda: learner(PropagatedMLP(34, 8, 4)),
    'Gaussian': lambda: learner(net(1), likelihood=Gaussian()),
    'Gaussian of two': lambda: learner(net(2), likelihood=Gaussian(2)),
    'MultiLabel': lambda: learner(net(2), likelihood=MultiLabel()),
}
RUNS = [(kind, loader) for kind in KINDS for loader in (whole, clusters)]
RUNS += [('sparse', neighbors), ('default', neighbors)]
RUNS += [('fixed', whole), ('lazy', whole), ('cluster pairs', clusters)]
KINDS |= {
    'fixed': lambda: FixedGraph(net(), DATA.edge_index),
    'lazy': lambda: FixedGraph(GCN(-1, 8, 2, 4), DATA.edge_index),
    'cluster pairs': lambda: learner(
        prior=SmoothedPrior(INSIDE, 34, pairs=PAIRS),
        posterior=FreePosterior(sparse=True),
    ),
}


def made(kind, seed=0):
    seed_everything(seed)
    model, data = KINDS[kind](), DATA.clone()
    if not isinstance(model.likelihood, (Gaussian, MultiLabel)):
        return model, data
    data.y = TARGETS if kind != 'Gaussian' else TARGETS[:, 1].contiguous()
    if kind == 'MultiLabel':
        data.y = (TARGETS > 0).float().masked_fill(TARGETS.isnan(), NAN)
    return model, data


@pytest.mark.parametrize(
    'kind, loader', RUNS, ids=lambda v: getattr(v, '__name__', v)
)
def test_resume_is_bit_identical(
    kind, loader, tmp_path, interrupted, same_state
):
    straight, data = made(kind)
    expected = fit(straight, data, loader(), **SETTINGS)
    assert len(expected.history) == 12
    options = {'checkpoint': tmp_path / 'run.pt', 'checkpoint_every': 3}
    first, data = made(kind)
    with interrupted(first, steps=8 * (1 if loader is whole else 2)):
        fit(first, data, loader(), **options, **SETTINGS)
    second, data = made(kind, seed=7)
    assert fit(second, data, loader(), **options, **SETTINGS) == expected
    assert same_state(second, straight)
    # The finished run answers at once, with the same.
    third, data = made(kind, seed=5)
    assert fit(third, data, loader(), **options, **SETTINGS) == expected
    assert same_state(third, straight)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_resume import *
learner, data = made('default')
fit(learner, data, checkpoint=sys.argv[2], checkpoint_every=2,
    epochs=100_000, patience=100_000, progress=False)
"""


def test_a_killed_run_resumes_to_a_bit_identical_result(tmp_path, same_state):
    path = tmp_path / 'run.pt'
    process = subprocess.Popen(
        [sys.executable, '-c', SCRIPT, os.path.dirname(__file__), str(path)]
    )
    while not path.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    state = torch.load(path, weights_only=True)
    done = len(state['result']['history'])

    settings = {'epochs': done + 10, 'patience': 100_000, 'progress': False}
    resumed, data = made('default', seed=9)
    result = fit(resumed, data, checkpoint=path, **settings)
    straight, data = made('default')
    assert result == fit(straight, data, **settings)
    assert same_state(resumed, straight)
