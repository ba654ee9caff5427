"""Errors of a user's own conv, and arguments that nobody asked for."""

import pytest
import torch
from torch.nn import Linear, Module, ReLU, Sequential
from torch_geometric.nn import (
    FastRGCNConv,
    GATConv,
    GCNConv,
    GINEConv,
    HEATConv,
    RGATConv,
    RGCNConv,
    SAGEConv,
    SignedConv,
)
from torch_geometric.nn import Sequential as GraphSequential

from torch_geometric_vgcn import (
    Bernoulli,
    BinaryConcrete,
    FixedGraph,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import Noise, PosteriorMean

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))

samplers = pytest.mark.parametrize(
    'sampler', [BinaryConcrete(), Bernoulli(), PosteriorMean()], ids=str
)


def learner_of(conv, graph, sampler=None, **kwargs):
    prior = SmoothedPrior(graph, 6, **kwargs)
    return VariationalGraphLearner(conv, prior, sampler=sampler)


# Errors of the conv itself


class Own(Exception):  # noqa: N818
    """What a user's conv may raise, as to end a loop."""


class Raising(Module):
    """Raises what it is told to, in one mode or in both."""

    def __init__(self):
        super().__init__()
        self.conv, self.error, self.modes = SAGEConv(3, 2), None, (True, False)

    def forward(self, x, edge_index):
        if self.error is not None and self.training in self.modes:
            raise self.error
        return self.conv(x, edge_index)


def raised_by(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


ERRORS = [
    Own('mine'),
    ValueError('mine'),
    KeyError('mine'),
    RuntimeError('mine'),
    TypeError('mine'),
    AssertionError('mine'),
    IndexError('mine'),
    ZeroDivisionError('mine'),
    torch.OutOfMemoryError('mine'),
]


@samplers
@pytest.mark.parametrize('error', ERRORS, ids=repr)
@pytest.mark.parametrize('name', ['forward', 'predict'])
def test_an_error_is_the_same_in_the_first_call_and_later(
    graph, sampler, error, name
):
    first, later = (learner_of(Raising(), graph, sampler) for _ in range(2))
    calls = [getattr(learner, name) for learner in (first, later)]
    calls[1](X)
    first.conv.error = later.conv.error = error
    early, late = (raised_by(lambda c=call: c(X)) for call in calls)
    again = raised_by(lambda: calls[0](X))
    assert type(early) is type(late) is type(again)
    assert 'mine' in str(early) and 'mine' in str(late)
    # What is no complaint of Python or PyTorch about a call stays itself:
    if type(error) in (Own, ValueError, KeyError, torch.OutOfMemoryError):
        assert type(early) is type(error)


@samplers
def test_an_error_of_training_mode_is_itself(graph, sampler):
    learner = learner_of(Raising(), graph, sampler)
    learner.conv.error, learner.conv.modes = Own('mine'), (True,)
    for _ in range(2):
        assert type(raised_by(lambda: learner(X))) is Own
    later = learner_of(Raising(), graph, sampler)
    later(X)
    later.conv.error, later.conv.modes = Own('mine'), (True,)
    assert type(raised_by(lambda: later(X))) is Own


@samplers
@pytest.mark.parametrize(
    'x', [torch.randn(6, 4), X.double()], ids=['wide', 'double']
)
def test_features_that_do_not_fit_are_the_same_error_later(graph, sampler, x):
    first, later = (learner_of(SAGEConv(3, 2), graph, sampler) for _ in '12')
    later(X)
    early, late = raised_by(lambda: first(x)), raised_by(lambda: later(x))
    assert type(early) is type(late) is TypeError
    for error in (early, late):
        assert "'conv'" in str(error) and str(list(x.shape)) in str(error)


@pytest.mark.parametrize('error', ERRORS, ids=repr)
def test_a_fixed_graph_raises_the_same_errors(graph, error):
    fixed, learner = FixedGraph(Raising(), graph), learner_of(Raising(), graph)
    fixed.conv.error = learner.conv.error = error
    one, other = raised_by(lambda: fixed(X)), raised_by(lambda: learner(X))
    assert type(one) is type(other) and 'mine' in str(one)


# Convs that need something else


def graph_of_two(conv):
    return Sequential(conv, ReLU(), GCNConv(8, 2))


class OfData(Module):
    """As in many tutorials."""

    def __init__(self):
        super().__init__()
        self.conv = GCNConv(3, 2)

    def forward(self, data):
        return self.conv(data.x, data.edge_index)


class OfMore(Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(3, 2)

    def forward(self, x, edge_index, position):
        return self.conv(x + position, edge_index)


UNFIT = {
    'Sequential': (
        lambda: graph_of_two(GCNConv(3, 8)),
        r'edge_index.*torch_geometric\.nn\.Sequential',
    ),
    'RGCNConv': (lambda: RGCNConv(3, 2, 2), 'types'),
    'FastRGCNConv': (lambda: FastRGCNConv(3, 2, 2), 'types'),
    'RGATConv': (lambda: RGATConv(3, 2, 2), 'types'),
    'HEATConv': (lambda: HEATConv(3, 2, 2, 2, 2, 2, 2), 'node_type'),
    'SignedConv': (lambda: SignedConv(3, 2, True), 'neg_edge_index'),
    'of data': (OfData, 'data'),
    'of more': (OfMore, 'position'),
}


@pytest.mark.parametrize('name', UNFIT)
def test_what_is_missing_is_said_at_once(graph, name):
    make, missing = UNFIT[name]
    learner = learner_of(GCNConv(3, 2), graph)
    for build in (
        lambda: learner_of(make(), graph),
        lambda: learner_of(make(), graph, Bernoulli()),
        lambda: SharedGraph(make(), learner),
        lambda: FixedGraph(make(), graph),
    ):
        with pytest.raises(TypeError, match=f"'conv' .*{missing}"):
            build()


class Typed(Module):
    """Knows the types of its edges itself."""

    def __init__(self):
        super().__init__()
        self.conv = RGCNConv(3, 2, 2)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index, edge_index.sum(dim=0) % 2)


@samplers
def test_convs_that_are_wrapped_are_not_refused(graph, sampler):
    wrapped = GraphSequential(
        'x, edge_index',
        [
            (GCNConv(3, 8), 'x, edge_index -> x'),
            ReLU(),
            (GCNConv(8, 2), 'x, edge_index -> x'),
        ],
    )
    assert learner_of(wrapped, graph, sampler)(X).shape == (6, 2)
    assert FixedGraph(wrapped, graph)(X).shape == (6, 2)


def test_convs_of_types_may_be_wrapped(graph):
    assert learner_of(Typed(), graph, Bernoulli())(X).shape == (6, 2)
    assert FixedGraph(Typed(), graph)(X).shape == (6, 2)


class WithAttributes(Module):
    def __init__(self):
        super().__init__()
        self.conv = GINEConv(Linear(3, 2), edge_dim=2)

    def forward(self, x, edge_index, edge_attr):
        return self.conv(x, edge_index, edge_attr)


@samplers
@pytest.mark.parametrize(
    'make',
    [lambda: GINEConv(Linear(3, 2), edge_dim=2), WithAttributes],
    ids=['optional', 'needed'],
)
def test_attributes_that_are_missing_are_named(graph, sampler, make):
    with pytest.raises(TypeError, match='edge_attr'):
        learner_of(make(), graph, sampler)(X)
    with pytest.raises(TypeError, match='edge_attr'):
        FixedGraph(make(), graph)(X)
    edge_attr = torch.rand(graph.size(1), 2)
    learner = learner_of(make(), graph, sampler, edge_attr=edge_attr)
    assert learner(X).shape == (6, 2)


class WithAttention(Module):
    def __init__(self):
        super().__init__()
        self.conv = GATConv(3, 2)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index, return_attention_weights=True)


@samplers
def test_attention_weights_are_no_output(graph, sampler):
    learner = learner_of(WithAttention(), graph, sampler)
    with pytest.raises(TypeError, match='Tensor.*return_attention_weights'):
        learner(X)
    with pytest.raises(TypeError, match='Tensor.*return_attention_weights'):
        FixedGraph(WithAttention(), graph)(X)
    with pytest.raises(TypeError, match='return_attention_weights'):
        learner_of(GATConv(3, 2), graph)(X, return_attention_weights=True)


# Arguments that would be ignored


@pytest.mark.parametrize(
    'given',
    [
        {'foo': 1},
        {'noise': None},
        {'prior': None},
        {'edge_weight': torch.ones(14)},
        {'return_attention_weights': True},
        {'num_sample': 3},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_fixed_graph_refuses_what_it_would_ignore(graph, given):
    model = FixedGraph(GCNConv(3, 2), graph)
    (name,) = given
    for call in (model, model.predict):
        with pytest.raises(TypeError, match=name):
            call(X, **given)


def test_a_fixed_graph_is_called_as_a_learner_is(graph):
    model = FixedGraph(GCNConv(3, 2), graph)
    # As many calls in training mode, one in evaluation mode:
    assert torch.equal(model(X, num_samples=3), model(X).expand(3, -1, -1))
    model.eval()
    assert torch.equal(model(X, num_samples=3), model(X))
    assert torch.equal(model.predict(X, num_samples=3), model.predict(X))
    for call in (model, model.predict):
        with pytest.raises((TypeError, ValueError), match="'num_samples'"):
            call(X, num_samples=0)


@samplers
def test_noise_tells_the_number_of_graphs(graph, sampler):
    learner = learner_of(GCNConv(3, 2), graph, sampler)
    noise = learner.noise(2)
    for call in (learner, learner.predict):
        for number in (1, 5, 16):
            with pytest.raises(ValueError, match="'num_samples'.*2.*noise"):
                call(X, num_samples=number, noise=noise)
        for number in ('2', 2.0, True):
            with pytest.raises(TypeError, match="'num_samples'"):
                call(X, num_samples=number, noise=noise)
    assert torch.equal(
        learner(X, num_samples=2, noise=noise), learner(X, noise=noise)
    )
    assert torch.equal(
        learner.predict(X, num_samples=2, noise=noise),
        learner.predict(X, noise=noise),
    )


def test_noise_of_no_graph_is_refused(graph):
    learner = learner_of(GCNConv(3, 2), graph)
    for noise in (learner.noise(2)[:0], Noise(torch.zeros(0, 7))):
        for call in (learner, learner.predict):
            with pytest.raises(ValueError, match='noise'):
                call(X, noise=noise)
