"""Attacks that add edges between classes, by similarity or neighbourhood."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import (
    degree,
    erdos_renyi_graph,
    homophily,
    to_dense_adj,
)

from torch_geometric_vgcn import EvidencePrior, SmoothedPrior
from torch_geometric_vgcn.attacks import NeighborhoodAttack, SimilarityAttack
from torch_geometric_vgcn.transforms import RandomPerturbation

ATTACKS = [SimilarityAttack, NeighborhoodAttack]


def make(num_nodes, prob=0.2, classes=3, seed=0):
    torch.manual_seed(seed)
    return Data(
        x=torch.rand(num_nodes, 4),
        y=torch.randint(classes, (num_nodes,)),
        edge_index=erdos_renyi_graph(num_nodes, prob),
    )


def adjacency(data):
    return to_dense_adj(data.edge_index, max_num_nodes=data.num_nodes)[0]


def score_of(attack, data):
    """All scores at once, for the pairs that may be taken."""
    if attack is SimilarityAttack:
        x = torch.nn.functional.normalize(data.x, dim=-1)
        score = x @ x.t()
    else:
        adj = adjacency(data)
        score = adj @ (adj / adj.sum(dim=1, keepdim=True).clamp(min=1))
        score[score == 0] = -torch.inf
    apart = data.y[:, None] != data.y
    labelled = (data.y >= 0)[:, None] & (data.y >= 0)
    free = apart & labelled & (adjacency(data) == 0)
    free = free.triu(diagonal=1) & score.isfinite()
    return score.masked_fill(~free, -torch.inf), int(free.sum())


@given(
    attack=st.sampled_from(ATTACKS),
    num_nodes=st.integers(4, 20),
    prob=st.floats(0.1, 0.6),
    share=st.floats(0, 1),
    unlabelled=st.booleans(),
    seed=st.integers(0, 100),
)
def test_the_best_pairs_are_taken(
    attack, num_nodes, prob, share, unlabelled, seed
):
    data = make(num_nodes, prob, seed=seed)
    assume(data.num_edges > 0)
    if unlabelled:
        data.y[: num_nodes // 3] = -1
    assume(data.y[data.y >= 0].unique().numel() > 1)
    score, free = score_of(attack, data)
    assume(free > 0)
    add = max(1, round(share * free))
    out = attack(add, seed)(data)
    assert out.is_undirected()
    assert out.is_coalesced()
    assert not out.has_self_loops()
    change = (adjacency(out) - adjacency(data)).triu(diagonal=1)
    assert torch.equal(out.added_pairs, (change == 1).nonzero().t())
    assert out.added_pairs.size(1) == add
    assert out.removed_pairs.size(1) == 0
    assert not (change == -1).any()
    row, col = out.added_pairs
    expected = score.flatten().topk(add).values
    taken = score[row, col].sort(descending=True).values
    assert torch.allclose(taken, expected, atol=1e-5)
    assert torch.equal(attack(add, seed)(data).edge_index, out.edge_index)
    with pytest.raises(ValueError, match=f"'add' must be at most {free}, "):
        attack(free + 1)(data)


@pytest.mark.parametrize('attack', ATTACKS)
def test_more_nodes_than_fit_into_a_block(attack):
    data = make(1500, prob=0.01)
    score, _ = score_of(attack, data)
    out = attack(200)(data)
    row, col = out.added_pairs
    taken = score[row, col].sort(descending=True).values
    assert torch.allclose(taken, score.flatten().topk(200).values, atol=1e-5)


@pytest.mark.parametrize('attack', ATTACKS)
def test_the_seed_chooses_among_equals(attack):
    data = make(30)
    data.x = torch.ones(30, 2)
    circle = torch.arange(30)
    edges = torch.stack([circle, (circle + 1) % 30])
    data.edge_index = torch.cat([edges, edges.flip(0)], dim=1)
    first, second = (attack(5, seed)(data).added_pairs for seed in (0, 1))
    assert not torch.equal(first, second)


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
def test_sparse_features_equal_dense_ones(layout):
    data = make(40)
    data.x = data.x.round()
    expected = SimilarityAttack(30)(data).edge_index
    data.x = data.x.to_sparse(layout=layout)
    assert torch.equal(SimilarityAttack(30)(data).edge_index, expected)


def test_a_prior_by_similarity_trusts_the_edges(cora):
    def trust(attack):
        out = attack(cora)
        prior = SmoothedPrior(out.edge_index, out.num_nodes, 0.5)
        prior = EvidencePrior(prior, out.x)
        added = prior.pairs.contains(out.added_pairs)
        return float(prior.probs[added].mean())

    assert trust(SimilarityAttack(500)) > 0.8
    assert trust(RandomPerturbation(add=500)) < 0.3


def test_neighbourhoods_overlap_more_than_by_chance(cora):
    out = NeighborhoodAttack(500)(cora)
    count = degree(cora.edge_index[0], cora.num_nodes)
    assert homophily(out.edge_index, cora.y) < homophily(
        cora.edge_index, cora.y
    )
    adj = adjacency(cora)
    row, col = out.added_pairs
    assert ((adj[row] * adj[col]).sum(dim=1) > 0).all()
    assert count[out.added_pairs].mean() > count.mean()


@pytest.mark.parametrize('attack', ATTACKS)
def test_bad_input_is_refused(attack):
    data = make(20)
    for add, error in ((0, ValueError), (-1.0, ValueError), (True, TypeError)):
        with pytest.raises(error, match="'add' must be"):
            attack(add)
    with pytest.raises(ValueError, match="'add' must amount to at least one"):
        attack(1e-9)(data)
    one = data.clone()
    one.y = torch.zeros(20).long()
    with pytest.raises(ValueError, match="'data.y' must hold at least two"):
        attack(3)(one)
    none = data.clone()
    del none.y
    with pytest.raises(ValueError, match="'data.y' must hold one class id"):
        attack(3)(none)
    directed = data.clone()
    directed.edge_index = data.edge_index[:, 1:]
    with pytest.raises(ValueError, match='directed graph'):
        attack(3)(directed)
