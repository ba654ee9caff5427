import pytest
import torch
from systems.gcn_svd import GCNSVD, LowRankGraph
from torch_geometric.utils import to_dense_adj


def dense(edge_index, rank):
    adj = to_dense_adj(edge_index)[0].double()
    u, s, vt = torch.linalg.svd(adj)
    return (u[:, :rank] * s[:rank]) @ vt[:rank] + torch.eye(len(adj))


def test_products_are_those_of_the_dense_matrix(communities):
    graph = LowRankGraph(communities.edge_index, 60, rank=5)
    low = dense(communities.edge_index, rank=5)
    scale = low.sum(dim=1).rsqrt()
    expected = scale[:, None] * low * scale
    assert torch.allclose(graph(torch.eye(60)), expected.float(), atol=1e-5)
    again = LowRankGraph(communities.edge_index, 60, rank=5)
    assert torch.equal(again.left, graph.left)


def test_a_degree_is_at_least_that_of_the_self_loop():
    index = torch.tensor(
        [[0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 5], [1, 6, 2, 4, 5, 7, 4, 7, 6, 7, 7]]
    )
    index = torch.cat([index, index.flip(0)], dim=1)
    degree = dense(index, rank=2).sum(dim=1)
    assert degree.min() < 1
    graph = LowRankGraph(index, 8, rank=2)
    expected = degree.clamp(min=1).rsqrt().float()
    assert torch.allclose(graph.scale[:, 0], expected)


def test_finds_communities_from_a_few_labels(communities):
    settings = {**GCNSVD.quick, 'rank': 2, 'epochs': 100}
    outcome = GCNSVD().train(communities, seed=0, **settings)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc


@pytest.mark.parametrize('rank', [59, 60, 100])
def test_more_ranks_than_nodes_are_the_graph_itself(communities, rank):
    graph = LowRankGraph(communities.edge_index, 60, rank)
    assert graph.right.shape == (59, 60)
    adj = to_dense_adj(communities.edge_index)[0]
    low = graph.left @ graph.right
    assert torch.dist(low, adj) < 0.2
