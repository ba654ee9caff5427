import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data, HeteroData
from torch_geometric.utils import erdos_renyi_graph

from torch_geometric_vgcn.analysis import communities


def test_two_cliques_are_two_communities():
    large = torch.combinations(torch.arange(5)).t()
    small = torch.combinations(torch.arange(5, 9)).t()
    between = torch.tensor([[3], [6]])
    edges = torch.cat([small, between, large], dim=1)
    found = communities(Data(edge_index=edges, num_nodes=10))
    assert [nodes.tolist() for nodes in found] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8],
        [9],
    ]


@given(st.integers(3, 30), st.integers(0, 5))
def test_each_node_is_in_one_and_chance_in_none(num_nodes, seed):
    torch.manual_seed(seed)
    edges = erdos_renyi_graph(num_nodes, 0.3)
    if edges.numel() == 0:
        return
    data = Data(edge_index=edges, num_nodes=num_nodes)
    found = communities(data)
    sizes = [len(nodes) for nodes in found]
    assert sizes == sorted(sizes, reverse=True)
    assert torch.cat(found).sort().values.tolist() == list(range(num_nodes))
    order = torch.randperm(edges.size(1))
    # The order and the direction of the edges don't matter:
    data.edge_index = edges[:, order].flip(0)
    again = communities(data)
    assert [a.tolist() for a in again] == [a.tolist() for a in found]


def test_citeseer(citeseer):
    found = communities(citeseer)
    assert sum(len(nodes) for nodes in found) == 3327
    # Papers cite within their field: most of a community is of one class.
    y = citeseer.y
    largest = [y[nodes].bincount().max() for nodes in found]
    assert sum(largest) > 0.75 * 3327


def test_errors():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 1]]), num_nodes=2)
    with pytest.raises(ValueError, match="'data.edge_index' contains 1 self"):
        communities(data)


@pytest.mark.parametrize('data', [None, HeteroData(), 'abc'])
def test_what_is_no_graph_is_refused(data):
    with pytest.raises(TypeError, match="'data' must be a"):
        communities(data)
