"""What holds for everything that adds and removes edges."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.transforms import Compose
from torch_geometric.utils import degree, erdos_renyi_graph, to_dense_adj

from torch_geometric_vgcn.transforms import (
    AddEdges,
    DegreePerturbation,
    DropEdges,
    PoisonGraph,
    RandomPerturbation,
)
from torch_geometric_vgcn.transforms.perturbation import free_pairs

ATTACKS = [
    PoisonGraph(add=20, remove=10, candidates=10, dim=4),
    DegreePerturbation(add=20, remove=10),
    RandomPerturbation(add=20, remove=10),
]


@pytest.fixture
def data():
    return Data(edge_index=erdos_renyi_graph(40, 0.15), num_nodes=40)


def matrix(data, edge_index=None):
    if edge_index is None:
        edge_index = data.edge_index
    return to_dense_adj(edge_index, max_num_nodes=data.num_nodes)[0]


def difference(data, changed):
    """The edges that came and that went, as the record would have them."""
    change = matrix(changed) - matrix(data)
    assert torch.equal(change, change.t())
    upper = change.triu(diagonal=1)
    return (upper == 1).nonzero().t(), (upper == -1).nonzero().t()


def by_name(transform):
    return type(transform).__name__


@pytest.mark.parametrize('attack', ATTACKS, ids=by_name)
def test_as_many_edges_change_as_are_asked_for(attack, data):
    out = attack(data)
    added, removed = difference(data, out)
    assert (added.size(1), removed.size(1)) == (20, 10)
    assert torch.equal(out.added_pairs, added)
    assert torch.equal(out.removed_pairs, removed)


@pytest.mark.parametrize('attack', ATTACKS, ids=by_name)
def test_no_node_loses_its_last_edge(attack, citeseer):
    data = citeseer.subgraph(torch.arange(1200))  # many have none, or one
    before = degree(data.edge_index[0], data.num_nodes)
    attack = type(attack)(remove=100)
    after = degree(attack(data).edge_index[0], data.num_nodes)
    assert torch.equal(before == 0, after == 0)
    assert int(after.sum()) == int(before.sum()) - 2 * 100


@given(
    num_nodes=st.integers(3, 12),
    prob=st.floats(0.1, 0.9),
    share=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_free_pairs_are_free_and_distinct(num_nodes, prob, share, seed):
    torch.manual_seed(seed)
    edges = torch.triu_indices(num_nodes, num_nodes, offset=1)
    edges = edges[:, torch.rand(edges.size(1)) < prob]
    num_free = num_nodes * (num_nodes - 1) // 2 - edges.size(1)
    generator = torch.Generator().manual_seed(seed)
    count = round(share * num_free)
    pairs = free_pairs(edges, num_nodes, count, generator)
    drawn = set(map(tuple, pairs.t().tolist()))
    assert len(drawn) == pairs.size(1) == count
    assert all(0 <= i < j < num_nodes for i, j in drawn)
    assert not drawn & set(map(tuple, edges.t().tolist()))


@pytest.mark.parametrize('count', [2, 9])
def test_each_free_pair_is_as_likely(count):
    edges = torch.tensor([[0, 0, 1, 2], [1, 5, 2, 3]])
    generator = torch.Generator().manual_seed(0)
    total = torch.zeros(6, 6)
    for _ in range(4000):
        i, j = free_pairs(edges, 6, count, generator)
        total[i, j] += 1
    free = torch.ones(6, 6).triu(diagonal=1)
    free[edges[0], edges[1]] = 0
    share = total[free == 1] / 4000
    assert (total[free == 0] == 0).all()
    assert (share - count / 11).abs().max() < 0.04  # five standard errors


def test_random_changes_spread_over_the_graph(citeseer):
    out = RandomPerturbation(add=5000)(citeseer)
    before = degree(citeseer.edge_index[0], citeseer.num_nodes)
    ends = before[out.added_pairs].mean()
    assert abs(float(ends - before.mean())) < 0.2
    same = citeseer.y[out.added_pairs[0]] == citeseer.y[out.added_pairs[1]]
    share = citeseer.y.bincount() / citeseer.num_nodes
    assert abs(same.float().mean() - share.square().sum()) < 0.03


def test_degree_changes_go_where_the_edges_are(citeseer):
    before = degree(citeseer.edge_index[0], citeseer.num_nodes)
    chosen = DegreePerturbation(add=500, remove=500)(citeseer)
    drawn = RandomPerturbation(add=500, remove=500)(citeseer)
    for name in ('added_pairs', 'removed_pairs'):
        assert before[chosen[name]].mean() > 1.5 * before[drawn[name]].mean()


@given(share=st.floats(0.01, 1), seed=st.integers(0, 100))
def test_perturbations_in_a_row_add_up(share, seed):
    torch.manual_seed(seed)
    data = Data(edge_index=erdos_renyi_graph(12, 0.4), num_nodes=12)
    assume(data.num_edges > 0)
    chain = Compose([AddEdges(0.3, seed), DropEdges(share / 2, seed)])
    try:
        out = chain(AddEdges(share / 2, seed + 1)(data))
    except ValueError:  # more than there is room for
        assume(False)
    added, removed = difference(data, out)
    assert torch.equal(out.added_pairs, added)
    assert torch.equal(out.removed_pairs, removed)


@pytest.mark.parametrize('attack', ATTACKS, ids=by_name)
def test_impossible_numbers_are_refused(attack, data):
    num_free = 40 * 39 // 2 - data.num_edges // 2
    with pytest.raises(ValueError, match=f"'add' must be at most {num_free}"):
        type(attack)(add=num_free + 1)(data)
    edges = data.num_edges // 2
    with pytest.raises(ValueError, match=f"'remove' must.* {edges} edges"):
        type(attack)(remove=edges)(data)
    with pytest.raises(ValueError, match="'add' must be at least 0, got -1"):
        type(attack)(add=-1)
    with pytest.raises(TypeError, match="'remove' must be an int, got 0.5"):
        type(attack)(remove=0.5)


@pytest.mark.parametrize('attack', ATTACKS, ids=by_name)
def test_graphs_of_another_kind_are_refused(attack, data):
    directed = data.clone()
    directed.edge_index = data.edge_index[:, 1:]
    with pytest.raises(ValueError, match=r'T.ToUndirected\(\)'):
        attack(directed)
    loops = data.clone()
    loop = torch.tensor([[3], [3]])
    loops.edge_index = torch.cat([data.edge_index, loop], dim=1)
    with pytest.raises(ValueError, match='1 self-loops, expected none'):
        attack(loops)
    weighted = data.clone()
    weighted.edge_weight = torch.rand(data.num_edges)
    with pytest.raises(ValueError, match=r"got \['edge_weight'\]"):
        attack(weighted)
    with pytest.raises(TypeError, match="'data.edge_index' must be a torch"):
        attack(Data(x=torch.rand(3, 2)))
