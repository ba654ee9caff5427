import copy

import pytest
import torch
from torch_geometric.nn import GAT, GCN, GCNConv

from torch_geometric_vgcn import FixedGraph

X = torch.eye(6)
Y = torch.tensor([0, 0, 0, 1, 1, 1])


class Both(torch.nn.Module):
    def forward(self, x, edge_index):
        return x, edge_index


def test_the_conv_sees_the_graph_as_it_is(graph):
    conv = GCNConv(6, 2)
    model = FixedGraph(conv, graph)
    assert torch.equal(model(X), conv(X, graph))
    assert torch.allclose(model.predict(X), conv(X, graph).softmax(-1))


@pytest.mark.parametrize('dtype', [torch.int64, torch.int32])
def test_the_objective_is_the_log_likelihood_of_the_labelled(graph, dtype):
    model = FixedGraph(GCNConv(6, 2), graph)
    out = model(X)
    index = torch.tensor([5, 1])
    mask = torch.zeros(6).bool().index_fill(0, index, True)
    expected = torch.nn.functional.cross_entropy(out[index], Y[index])
    for labelled in (mask, index.to(dtype)):
        bound = model.objective(out, Y, labelled)
        assert bound.loss.item() == pytest.approx(expected.item())
        assert bound.bound.item() == pytest.approx(-2 * expected.item())
        assert bound.kl == 0


@pytest.mark.parametrize('training', [False, True])
def test_prediction_leaves_each_module_in_its_mode(graph, training):
    model = FixedGraph(GAT(6, 4, 2, 2, dropout=0.5, norm='batch_norm'), graph)
    model.train(training)
    model.conv.norms.eval()
    modes = [module.training for module in model.modules()]
    state = copy.deepcopy(model.state_dict())
    first, second = model.predict(X), model.predict(X)
    assert torch.equal(first, second)  # without dropout
    assert [module.training for module in model.modules()] == modes
    for name, value in model.state_dict().items():
        assert torch.equal(value, state[name])


def test_a_lazy_model_is_initialised_by_its_first_call(graph):
    model = FixedGraph(GCN(-1, 16, 2, 3), graph)
    assert model.predict(X).shape == (6, 3)
    assert model(X).requires_grad


@pytest.mark.parametrize(
    'edge_index, error, message',
    [
        ([[0], [1]], TypeError, "'edge_index' must be a Tensor, got list"),
        (torch.ones(3, 2).long(), ValueError, r'\[2, E\], got \[3, 2\]'),
        (torch.ones(2, 2), TypeError, 'int64 node ids, got torch.float32'),
        (torch.tensor([[0], [-1]]), ValueError, 'non-negative .*got -1'),
    ],
)
def test_bad_graphs_are_refused(edge_index, error, message):
    with pytest.raises(error, match=message):
        FixedGraph(GCNConv(6, 2), edge_index)


def test_bad_calls_are_refused(graph):
    with pytest.raises(TypeError, match="'conv' must be .*got function"):
        FixedGraph(test_bad_calls_are_refused, graph)
    model = FixedGraph(GCNConv(6, 2), graph)
    with pytest.raises(ValueError, match=r"'x' .*6 or more nodes .*\[5, 6\]"):
        model(X[:5])
    with pytest.raises(TypeError, match=r'\(Both\) must .*, got tuple'):
        FixedGraph(Both(), graph)(X)
    with pytest.raises(ValueError, match=r"'out' .*\[N, C\] .*, got \[12\]"):
        model.objective(model(X).view(-1), Y, Y)


def test_several_calls_in_training_differ_by_dropout(graph):
    model = FixedGraph(GCN(6, 8, 2, 2, dropout=0.5), graph)
    out = model(X, num_samples=3)
    assert out.shape == (3, 6, 2) and not torch.equal(out[0], out[1])
    model.objective(out, Y, torch.arange(6)).loss.backward()
    assert torch.equal(model.eval()(X, num_samples=3), model(X))
