import pytest
import torch
from torch_geometric.nn import (
    GATConv,
    GraphSAGE,
    MessagePassing,
    SAGEConv,
    SuperGATConv,
)
from torch_geometric.utils import dropout_edge, softmax, sort_edge_index

from torch_geometric_vgcn import (
    Bernoulli,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import EdgeWeights

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))


def through(conv, graph, weight, x=X):
    with EdgeWeights(graph, weight, 6):
        return conv(x, graph)


def test_attention_sums_to_one_whatever_the_weights(graph):
    conv = GATConv(4, 3, add_self_loops=False, bias=False)
    conv.lin.weight.data.fill_(1.0)
    x = torch.ones(6, 4)
    weight = torch.rand(graph.size(1))
    out = through(conv, graph, weight, x)
    assert torch.allclose(out, torch.full((6, 3), 4.0), atol=1e-5)


def test_gradcheck(graph):
    conv = SAGEConv(4, 3).double()

    def out(weight):
        return through(conv, graph, weight, X.double())

    weight = torch.rand(graph.size(1), dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(out, (weight,))


def test_edges_are_known_by_identity(graph):
    class Shuffled(SAGEConv):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index.flip(1))

    class Sorted(SAGEConv):
        def forward(self, x, edge_index):
            return super().forward(x, sort_edge_index(edge_index))

    weight = torch.rand(graph.size(1))
    outs = []
    for cls in (SAGEConv, Shuffled, Sorted):
        torch.manual_seed(0)
        outs.append(through(cls(4, 3), graph, weight))
    assert torch.allclose(outs[0], outs[1], atol=1e-6)
    assert torch.allclose(outs[0], outs[2], atol=1e-6)


def test_fewer_edges_keep_their_weights(graph):
    class Dropping(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = SAGEConv(4, 3, aggr='sum')

        def forward(self, x, edge_index):
            torch.manual_seed(1)
            edge_index, _ = dropout_edge(edge_index, p=0.5)
            return self.conv(x, edge_index)

    conv = Dropping()
    zeros = through(conv, graph, torch.zeros(graph.size(1)))
    alone = conv.conv(X, graph[:, :0])
    assert torch.allclose(zeros, alone)


def test_edges_of_its_own_are_left_as_they_are(graph):
    class Inventive(SAGEConv):
        def forward(self, x, edge_index):
            return super().forward(x, torch.tensor([[0, 1], [5, 5]]))

    conv = Inventive(4, 3)
    out = through(conv, graph, torch.zeros(graph.size(1)))
    assert torch.equal(out, conv(X, graph))


class OwnAttention(MessagePassing):
    r"""A user's conv: attention by the first feature."""

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=x)

    def message(self, x_j, index, size_i):
        return softmax(x_j[:, 0], index, num_nodes=size_i)[:, None] * x_j


def test_a_conv_of_ones_own(graph):
    conv = OwnAttention()
    weight = torch.tensor([1.0, 0, 1, 1, 0, 1, 1] * 2)
    out = through(conv, graph, weight)
    assert torch.allclose(out, conv(X, graph[:, weight == 1]), atol=1e-6)


def test_what_cannot_be_weighted_is_refused_in_the_first_step(graph):
    class Median(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = SAGEConv(4, 3, aggr='median')

        def forward(self, x, edge_index):
            return self.conv(x, edge_index)

    prior = SmoothedPrior(graph, 6, rho1=0.9)
    learner = VariationalGraphLearner(Median(), prior)
    with pytest.raises(TypeError, match='only hard samples fit it'):
        learner(X)
    VariationalGraphLearner(Median(), prior, sampler=Bernoulli())(X)


def test_nothing_stays_behind_after_an_error(graph):
    class Broken(GraphSAGE):
        def forward(self, x, edge_index):
            super().forward(x, edge_index)
            raise RuntimeError('broken')

    conv = Broken(4, 8, 2)
    before = [dict(module.__dict__) for module in conv.modules()]
    with pytest.raises(RuntimeError, match='broken'):
        through(conv, graph, torch.ones(graph.size(1)))
    after = [dict(module.__dict__) for module in conv.modules()]
    assert [set(d) for d in before] == [set(d) for d in after]
    assert torch.nn.Module.__call__ is type(conv).__call__


def test_what_a_conv_remembers_of_its_call_stays(graph):
    conv = SuperGATConv(4, 3, is_undirected=True)
    through(conv, graph, torch.rand(graph.size(1)))
    assert conv.get_attention_loss() > 0
