"""A learner is a part of the model once, whoever else uses its graphs."""

import copy
import io
import pickle

import pytest
import torch
from torch.nn import Module
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    ClassPosterior,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)

X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))


class Model(Module):
    def __init__(self, graph, posterior=None):
        super().__init__()
        self.first = VariationalGraphLearner(
            GCNConv(3, 8), SmoothedPrior(graph, 6), posterior
        )
        self.second = SharedGraph(GCNConv(8, 2), self.first)
        self.third = SharedGraph(GCNConv(2, 2), self.first)

    def forward(self, x, noise=None):
        h = self.first(x, noise=noise).relu()
        return self.third(self.second(h).relu())


def tensors(state):
    return {k: v for k, v in state.items() if isinstance(v, torch.Tensor)}


@pytest.mark.parametrize('posterior', [None, ClassPosterior(2)])
def test_a_state_holds_each_tensor_once(graph, posterior):
    model = Model(graph, posterior)
    held = list(tensors(model.state_dict()).values())
    places = [value.data_ptr() for value in held if value.numel() > 0]
    assert len(set(places)) == len(places)
    for child in (model.second, model.third):
        assert set(tensors(child.state_dict())) == {
            f'conv.{name}' for name in child.conv.state_dict()
        }
        assert len(list(child.modules())) == 1 + len(
            list(child.conv.modules())
        )


def old_state(model):
    """As it was when the learner was a part of what shares its graph."""
    state = dict(model.state_dict())
    for child in ('second', 'third'):
        for name, value in model.first.state_dict().items():
            state[f'{child}.learner.{name}'] = value
    return state


def test_a_state_is_loaded(graph):
    model = Model(graph)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += torch.randn_like(parameter)
    noise = model.first.noise(2)
    expected = model(X, noise)
    for state in (model.state_dict(), old_state(model)):
        file = io.BytesIO()
        torch.save(state, file)
        file.seek(0)
        fresh = Model(graph)
        fresh.load_state_dict(torch.load(file))
        assert torch.equal(fresh(X, noise), expected)


def test_an_old_state_of_one_layer_is_loaded(graph):
    model, fresh = Model(graph), Model(graph)
    state = dict(model.second.state_dict())
    for name, value in model.first.state_dict().items():
        state[f'learner.{name}'] = value
    before = fresh.first.state_dict()['conv.lin.weight'].clone()
    fresh.second.load_state_dict(state)
    loaded = fresh.second.state_dict()
    assert torch.equal(loaded['conv.lin.weight'], state['conv.lin.weight'])
    # The learner is no part of the layer:
    assert torch.equal(fresh.first.state_dict()['conv.lin.weight'], before)


@pytest.mark.parametrize('name', ['second.foo', 'second.lin', 'foo'])
def test_what_does_not_belong_to_a_state_is_still_refused(graph, name):
    model = Model(graph)
    state = {**old_state(model), name: torch.zeros(1)}
    with pytest.raises(RuntimeError, match='[Uu]nexpected'):
        model.load_state_dict(state)


@pytest.mark.parametrize(
    'copied',
    [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))],
    ids=['deepcopy', 'pickle'],
)
def test_a_copy_shares_the_graphs_of_its_own_learner(graph, copied):
    model = Model(graph)
    other = copied(model)
    noise = model.first.noise(2)
    expected = model(X, noise)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 1.0
    model(X)
    assert torch.equal(other(X, noise), expected)
    assert other.second.learner is other.first
    other.load_state_dict(old_state(model))
    assert torch.equal(other(X, noise), model(X, noise))


def test_gradients_reach_each_parameter_once(graph):
    model = Model(graph)
    out = model(X, model.first.noise(2))
    y = torch.tensor([0, 0, 0, 1, 1, 1])
    model.first.objective(out, y).loss.backward()
    assert all(p.grad is not None for p in model.parameters() if p.dim() > 0)
    names = [
        name for name, _ in model.named_parameters(remove_duplicate=False)
    ]
    assert len(names) == len(dict(model.named_parameters()))


def test_the_model_moves_as_a_whole(graph):
    model = Model(graph).double()
    assert model(X.double()).dtype == torch.double
    assert not model.eval().second.learner.training
