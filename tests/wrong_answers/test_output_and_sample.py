"""The bound of an output is that of the graphs it came from, or an error."""

import pytest
import torch
from torch.nn import Linear, Module
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn import (
    Bernoulli,
    BinaryConcrete,
    ClassPosterior,
    FreePosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.sample import PosteriorMean, StraightThroughBernoulli

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])

SAMPLERS = (
    BinaryConcrete,
    Bernoulli,
    StraightThroughBernoulli,
    PosteriorMean,
)
POSTERIORS = {'classes': lambda: ClassPosterior(2), 'free': FreePosterior}
samplers = pytest.mark.parametrize('sampler', SAMPLERS)
posteriors = pytest.mark.parametrize('posterior', POSTERIORS)


class Around(Module):
    """A model with two heads around a learner that was trained a little."""

    def __init__(self, graph, sampler, posterior):
        super().__init__()
        self.learner = VariationalGraphLearner(
            GCN(3, 8, 2, 2),
            SmoothedPrior(graph, 6),
            POSTERIORS[posterior](),
            sampler(),
        )
        self.one, self.two = Linear(2, 2), Linear(2, 2)
        optimizer = torch.optim.SGD(self.learner.parameters(), lr=10.0)
        for _ in range(5):
            optimizer.zero_grad()
            out = self.learner(X, num_samples=2)
            self.learner.objective(out, Y).loss.backward()
            optimizer.step()
        self.learner.eval()

    def forward(self, x):
        h = self.learner(x, num_samples=2)
        return self.one(h), self.two(h)


def bound_or_error(learner, out, **kwargs):
    try:
        return learner.objective(out, Y, **kwargs).bound
    except RuntimeError as error:
        assert 'sample' in str(error)
        return None


@samplers
@posteriors
@pytest.mark.parametrize('grad', [True, False])
def test_is_right_or_an_error_whatever_was_called_between(
    graph, sampler, posterior, grad
):
    model = Around(graph, sampler, posterior)
    learner = model.learner
    with torch.set_grad_enabled(grad):
        one, two = model(X)
        sample = learner.sample
        expected = [
            learner.objective(out, Y, sample=sample).bound
            for out in (one, two)
        ]
        got = [bound_or_error(learner, one)]
        model(X)
        got += [bound_or_error(learner, one)]
        model(X)
        bound_or_error(learner, model(X)[0])
        got += [bound_or_error(learner, one)]
        learner.predict(X)
        got += [bound_or_error(learner, two)]
    for bound, right in zip(
        got, [expected[0]] * 3 + expected[1:], strict=True
    ):
        assert bound is None or torch.equal(bound, right)
    # With gradients it is known:
    assert all(bound is not None for bound in got) or not grad


@samplers
@posteriors
def test_the_learners_own_output_is_known_without_gradients(
    graph, sampler, posterior
):
    learner = Around(graph, sampler, posterior).learner
    with torch.no_grad():
        out = learner(X, num_samples=2)
        expected = learner.objective(out, Y, sample=learner.sample).bound
        learner(X, num_samples=2)
        assert torch.equal(learner.objective(out, Y).bound, expected)


def test_frozen_weights_are_right_or_an_error(graph):
    model = Around(graph, BinaryConcrete, 'classes')
    model.learner.requires_grad_(False)
    out, _ = model(X)
    expected = model.learner.objective(
        out, Y, sample=model.learner.sample
    ).bound
    model(X)
    got = bound_or_error(model.learner, out)
    assert got is None or torch.equal(got, expected)


@posteriors
def test_log_likelihoods_are_right_or_an_error(graph, posterior):
    model = Around(graph, BinaryConcrete, posterior)
    learner = model.learner
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            out, _ = model(X)
            log_prob = out.log_softmax(-1)[:, torch.arange(6), Y]
            expected = learner.bound(log_prob, sample=learner.sample).bound
            model(X)
            try:
                got = learner.bound(log_prob).bound
            except RuntimeError:
                got = None
        assert got is None or torch.equal(got, expected)
        assert got is not None or not grad


@posteriors
def test_a_layer_on_the_same_graphs_leads_to_them(graph, posterior):
    class Two(Module):
        def __init__(self):
            super().__init__()
            self.first = Around(graph, BinaryConcrete, posterior).learner
            self.second = SharedGraph(GCNConv(3, 2), self.first)

        def forward(self, x):
            self.first(x, num_samples=2)
            return self.second(x)

    model = Two()
    out = model(X)
    expected = model.first.objective(out, Y, sample=model.first.sample).bound
    model(X)
    assert torch.equal(model.first.objective(out, Y).bound, expected)


def test_outputs_of_two_calls_have_no_graphs_in_common(graph):
    model = Around(graph, BinaryConcrete, 'free')
    out = model(X)[0] + model(X)[0]
    with pytest.raises(RuntimeError, match='sample'):
        model.learner.objective(out, Y)


def test_outputs_of_another_learner_are_refused(graph):
    model, other = (Around(graph, BinaryConcrete, 'free') for _ in range(2))
    model(X)
    with pytest.raises(RuntimeError, match='sample'):
        model.learner.objective(other(X)[0], Y)


def test_a_sample_must_be_one(graph):
    learner = Around(graph, BinaryConcrete, 'free').learner
    log_prob = learner(X, num_samples=2)[..., 0].log_softmax(-1)
    for call in (
        lambda: learner.bound(log_prob, sample=3),
        lambda: learner.objective(learner(X), Y, sample=3),
    ):
        with pytest.raises(TypeError, match="'sample'"):
            call()
