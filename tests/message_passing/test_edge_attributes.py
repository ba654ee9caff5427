import pytest
import torch
from torch_geometric.nn import GATConv, GINEConv

from torch_geometric_vgcn import (
    Bernoulli,
    SharedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.message_passing import EdgeAttributes
from torch_geometric_vgcn.pairs import Candidates


def test_own_then_opposite_then_mean():
    edge_index = torch.tensor([[0, 1, 2], [1, 0, 3]])
    edge_attr = torch.tensor([[1.0], [2.0], [6.0]])
    of = EdgeAttributes(edge_index, edge_attr, num_nodes=5)
    wanted = torch.tensor([[1, 0, 2, 3, 4], [0, 1, 3, 2, 0]])
    got = of(wanted)['edge_attr'].view(-1)
    assert got.tolist() == [2.0, 1.0, 6.0, 6.0, 3.0]


@pytest.mark.parametrize('sampler', [None, Bernoulli()])
def test_attributes_go_along_with_sampled_edges(graph, sampler):
    edge_attr = torch.rand(graph.size(1), 3)
    more = torch.cat([graph, torch.tensor([[0], [5]])], dim=1)
    prior = SmoothedPrior(
        graph, 6, rho0=0.1, pairs=Candidates(more, 6), edge_attr=edge_attr
    )
    for conv in (
        GATConv(4, 2, edge_dim=3),
        GINEConv(torch.nn.Linear(4, 2), edge_dim=3),
    ):
        learner = VariationalGraphLearner(conv, prior, sampler=sampler)
        out = learner(torch.randn(6, 4), num_samples=2)
        assert out.shape == (2, 6, 2)
        learner.objective(out, torch.zeros(6).long()).loss.backward()


def test_all_edges_there_is_the_bare_conv(graph):
    x, edge_attr = torch.randn(6, 4), torch.rand(graph.size(1), 3)
    prior = SmoothedPrior(graph, 6, rho1=1 - 1e-7, edge_attr=edge_attr)
    conv = GATConv(4, 2, edge_dim=3, fill_value=0.0)
    learner = VariationalGraphLearner(conv, prior, sampler=Bernoulli())
    expected = conv(x, graph, edge_attr)
    assert torch.allclose(learner(x), expected, atol=1e-6)


def test_wrong_number_of_attributes(graph):
    with pytest.raises(ValueError, match="'edge_attr' must have one row"):
        SmoothedPrior(graph, 6, edge_attr=torch.rand(3, 2))


def test_in_the_place_of_a_conv(graph):
    x, edge_attr = torch.randn(6, 4), torch.rand(graph.size(1), 3)
    conv = GATConv(4, 2, edge_dim=3)
    prior = SmoothedPrior(graph, 6)
    with_it = SmoothedPrior(graph, 6, edge_attr=edge_attr)
    learner = VariationalGraphLearner(conv, prior)
    noise = learner.noise()
    expected = VariationalGraphLearner(conv, with_it)(x, noise=noise)
    got = learner(x, graph, edge_attr, noise=noise)
    assert torch.allclose(got, expected)
    shared = SharedGraph(conv, learner)
    assert torch.allclose(shared(x, graph, edge_attr), expected)
    with pytest.raises(ValueError, match="'edge_attr' must come with an"):
        learner(x, edge_attr=edge_attr)
