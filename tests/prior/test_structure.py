import networkx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.utils import erdos_renyi_graph, from_networkx

from torch_geometric_vgcn.pairs import AllPairs, Candidates
from torch_geometric_vgcn.prior import (
    EvidencePrior,
    SmoothedPrior,
    degree_product,
    resource_allocation,
)
from torch_geometric_vgcn.transforms import RandomPerturbation

SIMILARITIES = [degree_product, resource_allocation]


def graphs():
    r"""Random graphs with at least one edge, also empty nodes and hubs."""
    pair = st.tuples(st.integers(0, 7), st.integers(0, 7))
    edges = st.sets(pair.filter(lambda p: p[0] != p[1]), min_size=1)
    return edges.map(lambda e: torch.tensor(sorted(e)).t())


@given(graphs())
def test_resource_allocation_is_that_of_networkx(edge_index):
    pairs = AllPairs(8)
    graph = networkx.Graph(edge_index.t().tolist())
    graph.add_nodes_from(range(8))
    ebunch = pairs.index.t().tolist()
    expected = [
        value
        for _, _, value in networkx.resource_allocation_index(graph, ebunch)
    ]
    value = resource_allocation(edge_index, pairs).expm1()
    torch.testing.assert_close(value, torch.tensor(expected).float())


@given(graphs())
def test_the_product_of_degrees(edge_index):
    pairs = AllPairs(8)
    graph = networkx.Graph(edge_index.t().tolist())
    size = dict(graph.degree())
    expected = [
        (size.get(i, 0) + 1) * (size.get(j, 0) + 1)
        for i, j in pairs.index.t().tolist()
    ]
    value = degree_product(edge_index, pairs).exp()
    torch.testing.assert_close(value, torch.tensor(expected).float())


@pytest.mark.parametrize('similarity', SIMILARITIES)
def test_many_pairs_go_in_blocks(similarity):
    edge_index = erdos_renyi_graph(300, 0.5)  # seven million neighbours
    pairs = AllPairs(300)
    value = similarity(edge_index, pairs)
    some = torch.randperm(len(pairs))[:50]
    few = Candidates(pairs.index[:, some], 300)
    expected = value[pairs.contains(few.index)]
    torch.testing.assert_close(similarity(edge_index, few), expected)


@pytest.mark.parametrize('similarity', SIMILARITIES)
def test_any_graph_is_taken(similarity):
    graph = networkx.gnm_random_graph(34, 78, seed=0)
    edge_index = from_networkx(graph).edge_index
    pairs = Candidates(edge_index, 34)
    expected = similarity(edge_index, pairs)
    one_way = edge_index[:, edge_index[0] < edge_index[1]]
    assert torch.equal(similarity(one_way, pairs), expected)
    assert torch.equal(similarity(graph, pairs), expected)


@pytest.mark.parametrize('similarity', SIMILARITIES)
def test_a_graph_of_other_nodes_is_refused(similarity):
    pairs = Candidates(torch.tensor([[0, 1], [1, 2]]), 3)
    with pytest.raises(ValueError, match="'edge_index'"):
        similarity(torch.tensor([[0], [7]]), pairs)
    with pytest.raises(ValueError, match='of 3 nodes, got one of 34'):
        similarity(networkx.gnm_random_graph(34, 78, seed=0), pairs)
    with pytest.raises(TypeError, match="'pairs'"):
        similarity(torch.tensor([[0], [1]]), pairs.index)


def test_evidence_of_the_graph_tells_false_edges_from_true_ones(cora):
    data = RandomPerturbation(add=5000)(cora.clone())
    prior = SmoothedPrior(data.edge_index, data.num_nodes)
    false = prior.pairs.contains(data.added_pairs)
    for similarity in SIMILARITIES:
        prior = EvidencePrior(prior, data.edge_index, 2.0, similarity)
    assert prior.probs[false].mean() < 0.7 * prior.probs[~false].mean()
