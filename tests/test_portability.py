"""A wrapped model is still a module like any other."""

import copy
import io

import pytest
import torch
from torch_geometric.nn import GAT, GCN, GraphSAGE

from torch_geometric_vgcn import AllPairs

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
Y = torch.tensor([0, 0, 0, 1, 1, 1])
MODELS = (GCN, GAT, GraphSAGE)


def step(learner, noise):
    out = learner(X.to(learner.prior.logits.dtype), noise=noise)
    return learner.objective(out, Y).loss


def compiled_equals_eager(learner, backend):
    noise = learner.noise(2)
    parameters = list(learner.parameters())
    eager = step(learner, noise)
    expected = torch.autograd.grad(eager, parameters)
    torch.compiler.reset()
    compiled = torch.compile(step, backend=backend)(learner, noise)
    assert torch.allclose(eager, compiled, atol=1e-6)
    for got, want in zip(
        torch.autograd.grad(compiled, parameters), expected, strict=True
    ):
        assert torch.allclose(got, want, atol=1e-5)


@pytest.mark.parametrize('model', (GCN, GAT))
def test_compiled_step_is_the_eager_one(graph, model, learner_of):
    compiled_equals_eager(learner_of(graph, model), 'aot_eager')


@pytest.mark.slow
@pytest.mark.parametrize('model', (GCN, GAT))
def test_compiled_by_inductor(graph, model, learner_of):
    compiled_equals_eager(learner_of(graph, model), 'inductor')


@pytest.mark.parametrize('model', MODELS)
def test_copies_pickles_and_states_are_the_same(graph, model, learner_of):
    learner = learner_of(graph, model)
    step(learner, learner.noise(2)).backward()
    file = io.BytesIO()
    torch.save(learner, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    restored = learner_of(graph, model)
    restored.reset_parameters()
    file = io.BytesIO()
    torch.save(learner.state_dict(), file)
    file.seek(0)
    restored.load_state_dict(torch.load(file, weights_only=True))
    noise = learner.noise(2)
    expected = step(learner, noise)
    for other in (copy.deepcopy(learner), loaded, restored):
        assert torch.equal(step(other, noise), expected)


@pytest.mark.parametrize('model', MODELS)
def test_double_precision(graph, model, learner_of):
    learner = learner_of(graph, model).to(torch.double)
    loss = step(learner, learner.noise(2))
    loss.backward()
    assert loss.dtype == torch.double
    assert learner.posterior.offset.grad.dtype == torch.double


@pytest.mark.parametrize('model', MODELS)
@pytest.mark.parametrize('pairs', [None, AllPairs(6)], ids=['few', 'all'])
def test_bfloat16_autocast(graph, model, pairs, learner_of):
    learner = learner_of(graph, model, pairs=pairs)
    noise = learner.noise(2)
    expected = step(learner, noise)
    with torch.autocast('cpu', dtype=torch.bfloat16):
        loss = step(learner, noise)
    loss.backward()
    assert torch.allclose(loss.float(), expected, rtol=0.05)
    assert learner.posterior.offset.grad.isfinite().all()
