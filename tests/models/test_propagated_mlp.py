import copy
import pickle

import pytest
import torch
from torch.nn.functional import dropout
from torch_geometric.nn import APPNP, GCNConv

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    FixedGraph,
    FreePosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli

Y = torch.tensor([0, 0, 0, 1, 1, 2])
PAIRS = pytest.mark.parametrize(
    'pairs', [None, AllPairs(6)], ids=['few', 'all']
)


@pytest.fixture
def words():
    r"""Features of mostly zeros."""
    x = torch.zeros(6, 40)
    x[torch.arange(6).repeat(2), torch.randint(40, (12,))] = 1.0
    return x


def layouts(x):
    return x, x.to_sparse_csr(), x.to_sparse_coo()


def reference(net, x, edge_index, edge_weight=None):
    r"""The same network in evaluation mode, of parts of PyTorch and PyG."""
    h = (x @ net.hidden.weight.t() + net.hidden.bias).relu()
    h = h @ net.out.weight.t() + net.out.bias
    return APPNP(K=8, alpha=0.2)(h, edge_index, edge_weight)


def test_it_is_an_mlp_and_appnp(graph, words):
    net = PropagatedMLP(40, 8, 3).eval()
    weight = torch.rand(graph.size(1))
    for edge_weight in (None, weight):
        expected = reference(net, words, graph, edge_weight)
        for x in (*layouts(words), torch.rand(6, 40)):
            if x.layout == torch.strided and x is not words:
                expected = reference(net, x, graph, edge_weight)
            for _ in range(3):  # what is known of features doesn't matter
                out = net(x, graph, edge_weight)
                torch.testing.assert_close(out, expected)


def test_in_training_features_and_hidden_units_are_dropped(graph, words):
    net = PropagatedMLP(40, 8, 3, input_dropout=0.3, dropout=0.6)
    torch.manual_seed(3)
    out = net(words.to_sparse_csr(), graph)
    torch.manual_seed(3)
    x = words.to_sparse_csr()
    value = dropout(x.values(), 0.3)
    kept = torch.sparse_csr_tensor(
        x.crow_indices(),
        x.col_indices(),
        value,
        x.shape,
        check_invariants=False,
    ).to_dense()
    h = (kept @ net.hidden.weight.t() + net.hidden.bias).relu()
    h = dropout(h, 0.6) @ net.out.weight.t() + net.out.bias
    expected = APPNP(K=8, alpha=0.2)(h, graph)
    torch.testing.assert_close(out, expected)


def test_the_same_seed_draws_the_same_in_each_call(graph, words):
    net, dense = PropagatedMLP(40, 8, 3), torch.rand(6, 40)
    for x in (*layouts(words), dense):
        outs = []
        for _ in range(3):
            torch.manual_seed(0)
            outs.append(net(x, graph))
        assert torch.equal(outs[0], outs[1])
        assert torch.equal(outs[0], outs[2])


def learner_of(graph, pairs=None, sampler=None, seed=0, **options):
    torch.manual_seed(seed)
    return VariationalGraphLearner(
        PropagatedMLP(40, 8, 3, **options),
        SmoothedPrior(graph, 6, pairs=pairs),
        sampler=sampler,
        posterior=FreePosterior(),
    )


@PAIRS
def test_several_graphs_at_once_are_one_by_one(graph, words, pairs):
    learner = learner_of(graph, pairs).eval()
    noise = learner.noise(3)
    for x in (*layouts(words), torch.rand(6, 40)):
        out = learner(x, noise=noise)
        for s in range(3):
            one = learner(x, noise=noise[s : s + 1])
            torch.testing.assert_close(out[s], one)
        mean = out.softmax(dim=-1).mean(dim=0)
        torch.testing.assert_close(learner.predict(x, noise=noise), mean)


@PAIRS
@pytest.mark.parametrize('num_samples', [1, 3])
def test_relaxed_graphs_are_matrices(graph, words, pairs, num_samples):
    for x in (*layouts(words), torch.rand(6, 40)):
        learner = learner_of(graph, pairs)
        learner(x, num_samples=num_samples)
        assert str(learner.route) == 'matrix'


@PAIRS
@pytest.mark.parametrize('option', ['input_dropout', 'dropout'])
def test_each_graph_has_draws_of_its_own(graph, words, pairs, option):
    options = {'input_dropout': 0.0, 'dropout': 0.0}
    learner = learner_of(graph, pairs, **{**options, option: 0.5})
    noise = learner.noise(1)
    # The same graph three times:
    noise.logistic = noise.logistic.expand(3, -1)
    if noise.background is not None:
        noise.background = noise.background[[0, 0, 0]]
    for x in (*layouts(words), torch.rand(6, 40)):
        out = learner(x, noise=noise)
        assert not torch.allclose(out[0], out[1])
        assert not torch.allclose(out[1], out[2])
    learner.eval()
    out = learner(words, noise=noise)
    assert torch.allclose(out[0], out[1])


@PAIRS
def test_gradients_are_those_along_edges(graph, words, pairs, along_edges):
    for x in (*layouts(words), torch.rand(6, 40)):
        learner = learner_of(graph, pairs).eval()
        noise = learner.noise(3)
        grads = []
        for _ in range(2):
            out = learner(x, noise=noise)
            loss = learner.objective(out, Y).loss
            grads.append(torch.autograd.grad(loss, learner.parameters()))
            learner.route = along_edges
        assert (grads[0][-1] != 0).any()
        for got, expected in zip(*grads, strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    'sampler',
    [Bernoulli(), StraightThroughBernoulli(), PosteriorMean()],
    ids=lambda sampler: type(sampler).__name__,
)
@PAIRS
def test_other_samplers(graph, words, sampler, pairs):
    learner = learner_of(graph, pairs, sampler)
    for x in layouts(words):
        out = learner(x, num_samples=2)
        assert out.shape == (2, 6, 3)
        learner.objective(out, Y).loss.backward()
        assert (learner.posterior.offset.grad != 0).any()
    learner.eval()
    out = learner(words, num_samples=2)
    edge_index, weight = learner.sample.edges(1)
    expected = reference(learner.conv, words, edge_index, weight)
    torch.testing.assert_close(out[1], expected, rtol=1e-4, atol=1e-5)


def test_features_without_a_non_zero(graph):
    x = torch.zeros(6, 40)
    learner = learner_of(graph)
    net = learner.conv
    for given in layouts(x):
        for _ in range(2):
            assert learner(given, num_samples=2).shape == (2, 6, 3)
        net.eval()
        expected = reference(net, x, graph)
        torch.testing.assert_close(net(given, graph), expected)
        net.train()


def test_features_may_be_learned(graph, words):
    learner = learner_of(graph)
    x = words.requires_grad_()
    learner(x, num_samples=2).square().sum().backward()
    assert x.grad.abs().sum() > 0


@pytest.mark.parametrize('training', [True, False])
def test_it_may_be_the_second_layer(graph, words, training):
    learner = VariationalGraphLearner(
        GCNConv(40, 8), SmoothedPrior(graph, 6), posterior=FreePosterior()
    ).train(training)
    second = SharedGraph(PropagatedMLP(8, 8, 3), learner).train(training)
    hidden = learner(words, num_samples=3)
    out = second(hidden)
    assert out.shape == (3, 6, 3)
    assert str(second.route) == 'matrix'
    if not training:
        for s in range(3):
            edges = learner.sample.edges(s)
            expected = reference(second.conv, hidden[s], *edges)
            torch.testing.assert_close(out[s], expected)


def test_double_precision_and_autocast(graph, words):
    learner = learner_of(graph).eval()
    noise = learner.noise(2)
    expected = learner(words, noise=noise)
    with torch.autocast('cpu', dtype=torch.bfloat16):
        out = learner(words, noise=noise)
    assert (out - expected).abs().max() < 0.05 * expected.abs().max()
    learner = learner.double()
    noise.logistic = noise.logistic.double()
    noise.background.weight = noise.background.weight.double()
    out = learner(words.double(), noise=noise)
    torch.testing.assert_close(out, expected.double(), rtol=1e-4, atol=1e-5)


def test_on_a_fixed_graph(graph, words):
    model = FixedGraph(PropagatedMLP(40, 8, 3), graph)
    prob = model.predict(words)
    expected = reference(model.conv, words, graph).softmax(dim=-1)
    torch.testing.assert_close(prob, expected)


def test_copies_compute_the_same(graph, words):
    net = PropagatedMLP(40, 8, 3).eval()
    expected = net(words, graph)
    for again in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(again(words, graph), expected)
    other = PropagatedMLP(40, 8, 3).eval()
    other.load_state_dict(net.state_dict())
    assert torch.equal(other(words, graph), expected)
    other.reset_parameters()
    assert not torch.equal(other(words, graph), expected)
