import inspect

import pytest
import torch
from torch_geometric.nn import MessagePassing, conv

from torch_geometric_vgcn import (
    Bernoulli,
    BinaryConcrete,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import attributes_of
from torch_geometric_vgcn.sample import StraightThroughBernoulli


def test_each_message_passing_class_is_in_scope_or_has_a_reason(convs):
    classes = {
        cls.__name__
        for _, cls in inspect.getmembers(conv, inspect.isclass)
        if issubclass(cls, MessagePassing) and cls is not MessagePassing
    }
    in_scope = {name.split('(')[0].strip() for name in convs.IN_SCOPE}
    out_of_scope = set(convs.OUT_OF_SCOPE)
    assert len(classes) == 57
    assert classes <= in_scope | out_of_scope
    assert out_of_scope <= classes and not in_scope & out_of_scope


def test_weight_zero_is_a_deleted_edge(convs, conv_name):
    # ... and each weight in (0, 1) gets a gradient.
    prior = convs.graph_of(30, 3)
    error, missing, _ = convs.contract_error(conv_name, prior)
    assert error < 1e-4
    assert missing == 0


def learner_of(convs, name, sampler):
    prior = convs.graph_of(30, 3)
    if name in convs.WITH_ATTRIBUTES:
        edge_attr = torch.rand(prior.edge_index.size(1), convs.D)
        prior = SmoothedPrior(prior.edge_index, 30, edge_attr=edge_attr)
    return VariationalGraphLearner(
        convs.IN_SCOPE[name](),
        prior,
        sampler=sampler,
        posterior=FreePosterior(),
    )


@pytest.mark.parametrize('num_samples', [1, 2])
def test_learner_trains_each_conv(convs, conv_name, num_samples):
    learner = learner_of(convs, conv_name, BinaryConcrete())
    state = {
        module: dict(module.__dict__) for module in learner.conv.modules()
    }
    x, y = torch.randn(30, convs.F), torch.randint(4, (30,))
    out = learner(x, num_samples=num_samples).flatten(-1)
    learner.objective(out, y).loss.backward()
    grad = learner.posterior.offset.grad
    assert grad.isfinite().all() and (grad != 0).all()
    for module, before in state.items():
        assert module.__dict__.keys() == before.keys()
        assert 'forward' not in module.__dict__


@pytest.mark.parametrize('temperature', [0.01, 0.1])
def test_gradients_are_finite_at_low_temperatures(
    convs, conv_name, temperature
):
    # Most nodes have edges of next to no weight only, of all magnitudes.
    torch.manual_seed(0)
    sampler = BinaryConcrete(temperature)
    learner = learner_of(convs, conv_name, sampler)
    x, y = torch.randn(30, convs.F), torch.randint(4, (30,))
    for shift in (-0.3, -1.0, -3.0):
        learner.posterior.offset.data.fill_(shift)
        out = learner(x, num_samples=3).flatten(-1)
        learner.zero_grad()
        learner.objective(out, y).loss.backward()
        for parameter in learner.parameters():
            if parameter.grad is not None:
                assert parameter.grad.isfinite().all()


def test_hard_samples_go_through_as_they_are(convs, conv_name):
    learner = learner_of(convs, conv_name, Bernoulli()).eval()
    x, y = torch.randn(30, convs.F), torch.randint(4, (30,))
    out = learner(x, num_samples=2)
    edge_index, weight = learner.sample.edges(1)
    assert (weight == 1).all()
    attributes = attributes_of(learner.prior)
    expected = learner.conv(x, edge_index, **attributes(edge_index))
    assert torch.allclose(out[1], expected, atol=1e-4)
    learner.objective(out, y).loss.backward()
    assert learner.posterior.offset.grad.abs().sum() > 0


def test_straight_through_is_the_same_forward(convs, conv_name):
    learner = learner_of(convs, conv_name, StraightThroughBernoulli()).eval()
    x, y = torch.randn(30, convs.F), torch.randint(4, (30,))
    out = learner(x)
    index, weight = learner.sample.edges(0)
    kept = index[:, weight > 0.5]
    attributes = attributes_of(learner.prior)
    expected = learner.conv(x, kept, **attributes(kept))
    scale = expected.abs().max()
    assert (out - expected).abs().max() < 1e-4 * scale
    learner.objective(out, y).loss.backward()
    assert learner.posterior.offset.grad.isfinite().all()
