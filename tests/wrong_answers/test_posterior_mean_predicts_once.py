"""The posterior's mean is one graph: one pass, and nothing is drawn."""

import random

import numpy as np
import pytest
import torch
from torch_geometric.nn import GCN, SAGEConv

from torch_geometric_vgcn import (
    AllPairs,
    BinaryConcrete,
    Gaussian,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import PosteriorMean

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))


class Counted(SAGEConv):
    """Notes how many graphs it is called on."""

    def __init__(self):
        super().__init__(3, 2)
        self.calls = []

    def forward(self, x, edge_index):
        self.calls.append(1)
        return super().forward(x, edge_index)


def learner_of(conv, graph, pairs=None, **kwargs):
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    return VariationalGraphLearner(
        conv, prior, sampler=PosteriorMean(), **kwargs
    )


@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
def test_predictions_take_one_pass(graph, pairs):
    conv = Counted()
    learner = learner_of(conv, graph, pairs)
    expected = learner.predict(X, num_samples=1)
    for kwargs in (
        {},
        {'num_samples': 16},
        {'noise': learner.noise(5)},
        {'noise': learner.noise(5), 'num_samples': 5},
    ):
        conv.calls.clear()
        assert torch.equal(learner.predict(X, **kwargs), expected)
        assert len(conv.calls) == 1


def test_predictions_take_one_pass_where_graphs_go_together(graph):
    sizes = []
    learner = learner_of(GCN(3, 8, 2, 2), graph)
    learner.conv.register_forward_hook(
        lambda module, args, out: sizes.append(list(out.shape))
    )
    learner.predict(X)
    sizes.clear()
    learner.predict(X)
    assert sizes == [[6, 2]]


def test_predicted_variances_are_those_of_one_graph(graph):
    learner = learner_of(GCN(3, 8, 2, 2), graph, likelihood=Gaussian(2))
    mean, variance = learner.predict(X)
    assert mean.shape == variance.shape == (6, 2)
    assert torch.allclose(variance, variance[:1].expand(6, -1), atol=1e-5)


@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
def test_nothing_is_drawn(graph, pairs):
    learner = learner_of(GCN(3, 8, 2, 2), graph, pairs)
    generator = torch.Generator().manual_seed(0)
    before = (
        torch.get_rng_state(),
        generator.get_state(),
        torch.from_numpy(np.random.get_state()[1].astype(np.int64)),
    )
    state = random.getstate()
    learner.predict(X)
    learner(X, num_samples=2)
    learner.noise(3, generator)
    after = (
        torch.get_rng_state(),
        generator.get_state(),
        torch.from_numpy(np.random.get_state()[1].astype(np.int64)),
    )
    for one, other in zip(before, after, strict=True):
        assert torch.equal(one, other)
    assert random.getstate() == state


def test_a_call_has_as_many_outputs_as_were_asked_for(graph):
    learner = learner_of(GCN(3, 8, 2, 2), graph).eval()
    out = learner(X, num_samples=3)
    assert out.shape == (3, 6, 2)
    assert torch.allclose(out, out[:1].expand_as(out), atol=1e-6)


def test_other_samplers_take_all_their_passes(graph):
    conv = Counted()
    prior = SmoothedPrior(graph, 6)
    learner = VariationalGraphLearner(conv, prior, sampler=BinaryConcrete())
    learner.predict(X)
    conv.calls.clear()
    learner.predict(X, num_samples=7)
    assert len(conv.calls) == 7


@pytest.mark.parametrize('value', [0, -1, 2.5, '3'])
def test_the_number_of_graphs_is_checked_all_the_same(graph, value):
    learner = learner_of(GCN(3, 8, 2, 2), graph)
    with pytest.raises((TypeError, ValueError), match="'num_samples'"):
        learner.predict(X, num_samples=value)
