import pytest
import torch
from torch_geometric.utils import subgraph, to_dense_adj

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import SmoothedPrior


def test_observed_edges_get_rho1_and_all_others_rho0(graph):
    pairs = AllPairs(6)
    prior = SmoothedPrior(graph, 6, 0.75, 0.01, pairs)
    adj = to_dense_adj(graph)[0]
    expected = 0.75 * adj + 0.01 * (1 - adj - torch.eye(6))
    torch.testing.assert_close(pairs.to_dense(prior.probs), expected)
    assert not prior.has_background


def test_candidates_are_the_observed_edges_unless_given(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.75, rho0=0.01)
    torch.testing.assert_close(prior.probs, torch.full((7,), 0.75))
    assert prior.has_background
    assert prior.background == 0.01
    assert prior.background_logit == pytest.approx(-4.59512)


def test_candidates_beyond_the_observed_edges_get_rho0(graph):
    more = torch.tensor([[0, 1], [5, 4]])
    pairs = Candidates(torch.cat([graph, more], dim=1), 6)
    prior = SmoothedPrior(graph, 6, 0.75, 0.01, pairs)
    expected = torch.where(pairs.contains(more), 0.01, 0.75)
    torch.testing.assert_close(prior.probs, expected)


@pytest.mark.parametrize(
    'num_nodes, rho0', [(6, 1e-5), (3327, 1e-5), (33_270, 1e-6)]
)
def test_default_rho0_keeps_the_background_degree(graph, num_nodes, rho0):
    prior = SmoothedPrior(graph, num_nodes)
    assert prior.rho0 == prior.background == pytest.approx(rho0)


def test_observed_graph_is_known_in_any_order_and_direction(graph):
    prior = SmoothedPrior(graph, 6)
    row, col = graph
    prior.check_observed(graph.clone())
    prior.check_observed(graph[:, torch.randperm(14)])
    prior.check_observed(graph[:, row > col])


def test_observed_graph_is_known_in_another_integer_type():
    edge_index = torch.tensor([[90_000, 2], [95_000, 1]])
    prior = SmoothedPrior(edge_index.int(), 100_000)
    prior.check_observed(edge_index.flip(0))


def test_another_graph_is_refused(graph):
    prior = SmoothedPrior(graph, 6)
    with pytest.raises(ValueError, match='4 undirected edges, 4 of them in'):
        prior.check_observed(graph[:, :4])
    with pytest.raises(ValueError, match='1 undirected edges, 0 of them in'):
        prior.check_observed(torch.tensor([[0], [5]]))


@pytest.mark.parametrize('dense', [True, False])
def test_subset_keeps_probabilities_and_observed_edges(graph, dense):
    pairs = AllPairs(6) if dense else None
    prior = SmoothedPrior(graph, 6, 0.75, 0.01, pairs)
    node_id = torch.tensor([5, 2, 3, 0])
    part = prior.subset(node_id)
    assert torch.equal(part.logits, prior.logits[part.pairs.position])
    assert part.background == 0.01
    observed = {tuple(e) for e in node_id[part.edge_index].t().tolist()}
    assert observed == {(0, 2), (2, 0), (2, 3), (3, 2), (3, 5), (5, 3)}


def test_subset_has_the_observed_edges_among_its_nodes(citeseer):
    edge_index = citeseer.edge_index[:, torch.randperm(citeseer.num_edges)]
    edge_attr = torch.arange(edge_index.size(1))
    prior = SmoothedPrior(edge_index, 3327, edge_attr=edge_attr)
    for _ in range(2):
        node_id = torch.randperm(3327)[:1500]
        part = prior.subset(node_id)
        expected = subgraph(node_id, edge_index, edge_attr, True)
        assert torch.equal(part.edge_index, expected[0])
        assert torch.equal(part.edge_attr, expected[1])
