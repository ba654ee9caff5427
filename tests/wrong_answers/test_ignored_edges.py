"""A model that ignores its edges never learns a graph: it is refused."""

import pytest
import torch
from torch.nn import Linear, Module, Parameter
from torch_geometric.nn import DenseGCNConv, GATConv, GCNConv, SAGEConv

from torch_geometric_vgcn import (
    AllPairs,
    AmortizedPosterior,
    Bernoulli,
    BinaryConcrete,
    ClassPosterior,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))

POSTERIORS = {
    'free': FreePosterior,
    'classes': lambda: ClassPosterior(2),
    'encoder': lambda: AmortizedPosterior(Linear(3, 4)),
    'sum': lambda: FreePosterior() + ClassPosterior(2),
}
SAMPLERS = (
    BinaryConcrete,
    Bernoulli,
    StraightThroughBernoulli,
    PosteriorMean,
)
posteriors = pytest.mark.parametrize('posterior', POSTERIORS)
samplers = pytest.mark.parametrize('sampler', SAMPLERS)


class Deaf(Module):
    """Has a conv, and doesn't use it."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = SAGEConv(3, 2), Linear(3, 2)

    def forward(self, x, edge_index):
        return self.lin(x)


class OfItself(Module):
    """Passes on edges of its own."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(3, 2)

    def forward(self, x, edge_index, edge_weight=None):
        i = torch.arange(x.size(0) - 1)
        return self.conv(x, torch.stack([i, i + 1]))


class DeafDense(Module):
    def __init__(self):
        super().__init__()
        self.conv, self.lin = DenseGCNConv(3, 2), Linear(3, 2)

    def forward(self, x, adj):
        return self.lin(x)


def learner_of(conv, graph, sampler=BinaryConcrete, posterior='free'):
    pairs = AllPairs(6) if isinstance(conv, DeafDense) else None
    prior = SmoothedPrior(graph, 6, pairs=pairs)
    return VariationalGraphLearner(
        conv, prior, POSTERIORS[posterior](), sampler()
    )


@samplers
@posteriors
@pytest.mark.parametrize('kind', [Deaf, OfItself, DeafDense])
def test_is_refused_with_any_posterior(graph, kind, sampler, posterior):
    learner = learner_of(kind(), graph, sampler, posterior)
    for _ in range(2):
        with pytest.raises(TypeError, match="'conv'.*edges"):
            learner(X, num_samples=2)


@samplers
@pytest.mark.parametrize('kind', [Deaf, DeafDense])
def test_is_refused_by_predictions(graph, kind, sampler):
    learner = learner_of(kind(), graph, sampler)
    with pytest.raises(TypeError, match="'conv'.*edges"):
        learner.predict(X)
    with torch.no_grad(), pytest.raises(TypeError, match="'conv'.*edges"):
        learner(X)


class Gated(Module):
    """Starts as if there were no graph: its gate is a zero to be learned."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = SAGEConv(3, 2), Linear(3, 2)
        self.gate = Parameter(torch.zeros(()))

    def forward(self, x, edge_index):
        return self.lin(x) + self.gate * self.conv(x, edge_index)


class Scheduled(Gated):
    """The graph is faded in by the user's own loop."""

    def __init__(self):
        super().__init__()
        self.gate = None
        self.share = 0.0

    def forward(self, x, edge_index):
        return self.lin(x) + self.share * self.conv(x, edge_index)


@samplers
@posteriors
def test_a_gate_that_starts_closed_is_not_refused(graph, sampler, posterior):
    learner = learner_of(Gated(), graph, sampler, posterior)
    assert learner(X, num_samples=2).shape == (2, 6, 2)


@posteriors
def test_a_graph_that_is_faded_in_is_not_refused(graph, posterior):
    learner = learner_of(Scheduled(), graph, posterior=posterior)
    assert learner(X).shape == (6, 2)


@samplers
@pytest.mark.parametrize('x', [torch.ones(6, 3), torch.zeros(6, 3)])
@pytest.mark.parametrize('conv', [SAGEConv, GATConv, GCNConv])
def test_features_that_are_all_alike_are_not_refused(graph, conv, x, sampler):
    learner = learner_of(conv(3, 2), graph, sampler)
    assert learner(x, num_samples=2).shape == (2, 6, 2)


class Fixed(Module):
    """Propagates without gradients."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = SAGEConv(3, 3), Linear(3, 2)

    def forward(self, x, edge_index):
        with torch.no_grad():
            x = self.conv(x, edge_index)
        return self.lin(x)


def test_edges_without_gradient_are_refused_where_one_is_needed(graph):
    with pytest.raises(TypeError, match="'conv'.*edges"):
        learner_of(Fixed(), graph)(X)
    assert learner_of(Fixed(), graph, posterior='classes')(X).shape == (6, 2)
    assert learner_of(Fixed(), graph, Bernoulli)(X).shape == (6, 2)
