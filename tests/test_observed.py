from math import nan

import networkx
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data
from torch_geometric.index import index2ptr
from torch_geometric.nn import GCNConv
from torch_geometric.testing import withPackage
from torch_geometric.utils import (
    to_networkx,
    to_scipy_sparse_matrix,
    to_torch_coo_tensor,
    to_torch_csr_tensor,
)

from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
from torch_geometric_vgcn.utils import observed_graph


def forms(graph):
    from torch_geometric import EdgeIndex

    data = Data(edge_index=graph, num_nodes=6)
    return {
        'edge_index': graph,
        'int32': graph.int(),
        'EdgeIndex': EdgeIndex(graph, sparse_size=(6, 6)),
        'CSR': to_torch_csr_tensor(graph, size=6),
        'COO': to_torch_coo_tensor(graph, size=6),
        'scipy': to_scipy_sparse_matrix(graph, num_nodes=6),
        'scipy array': scipy.sparse.csr_array(
            to_scipy_sparse_matrix(graph, num_nodes=6)
        ),
        'networkx': to_networkx(data, to_undirected=True),
        'networkx directed': to_networkx(data),
    }


@pytest.mark.parametrize('form', forms(torch.tensor([[0, 1], [1, 0]])))
def test_all_forms_of_a_graph_are_the_same_prior(graph, form):
    given = forms(graph)[form]
    expected, prior = SmoothedPrior(graph, 6), SmoothedPrior(given, 6)
    assert torch.equal(prior.pairs.index, expected.pairs.index)
    if form not in ('edge_index', 'int32'):
        assert SmoothedPrior(given).num_nodes == 6
    x = torch.randn(6, 3)
    VariationalGraphLearner(GCNConv(3, 2), expected)(x, given)


@withPackage('torch_sparse')
def test_sparse_tensor(graph):
    from torch_sparse import SparseTensor

    given = SparseTensor.from_edge_index(graph, sparse_sizes=(6, 6))
    expected = SmoothedPrior(graph, 6)
    assert torch.equal(SmoothedPrior(given).pairs.index, expected.pairs.index)
    given = given.fill_value(1.0)
    assert torch.equal(SmoothedPrior(given).pairs.index, expected.pairs.index)


def test_one_direction_counts_for_both(graph):
    one = SmoothedPrior(graph[:, :7], 6)
    assert torch.equal(one.pairs.index, SmoothedPrior(graph, 6).pairs.index)


def test_explicit_zeros_are_no_edges():
    row, col = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0])
    value = torch.tensor([1.0, 0.0, 1.0])
    csr = torch.sparse_csr_tensor(index2ptr(row, 3), col, value, (3, 3))
    edge_index, _ = observed_graph(csr)
    assert edge_index.tolist() == [[0, 2], [1, 0]]


@pytest.mark.parametrize(
    'given, num_nodes, error, message',
    [
        ({0: [1]}, 2, TypeError, "'edge_index' must be a Tensor"),
        (torch.tensor([[0], [1]]), None, ValueError, "'num_nodes' must be"),
        (networkx.path_graph(3), 4, ValueError, 'of 4 nodes, got one of 3'),
        (
            networkx.Graph([(1, 2), (2, 3)]),
            3,
            ValueError,
            '0 to 2.*got 3',
        ),
        (
            networkx.Graph([(0, 1), (1, 5)]),
            6,
            ValueError,
            '0 to 2.*got 5',
        ),
        (networkx.Graph([(0, 'b')]), None, ValueError, "0 to 1.*got 'b'"),
        (scipy.sparse.csr_array([[0, nan], [1, 0]]), 2, ValueError, 'no NaN'),
        (torch.tensor([[0, nan], [1, 0]]).to_sparse(), 2, ValueError, 'NaN'),
        (scipy.sparse.eye(3), None, ValueError, 'contains 3 self-loops'),
        (networkx.empty_graph(3), None, ValueError, 'is an empty graph'),
        (scipy.sparse.csr_matrix((2, 5)), 2, ValueError, 'a square matrix'),
        (torch.rand(5, 2).to_sparse(), 5, ValueError, 'a square matrix'),
        (torch.tensor([[0], [1]]), 2.0, TypeError, "'num_nodes' must be an i"),
        (torch.tensor([[0], [1]]), 10**30, ValueError, "'num_nodes' must be"),
    ],
)
def test_bad_graphs(given, num_nodes, error, message):
    with pytest.raises(error, match=message):
        observed_graph(given, num_nodes)


def test_nodes_of_a_networkx_graph_may_be_in_any_order():
    ends = [(3, 1), (0, 2), (2, 3)]
    graph = networkx.Graph(ends)
    assert list(graph) != sorted(graph)
    edge_index, _ = observed_graph(graph, 4)
    found = {frozenset(ends) for ends in edge_index.t().tolist()}
    assert found == set(map(frozenset, ends))


def test_attributes_of_a_networkx_graph_are_no_matter():
    graph = networkx.path_graph(3)
    graph.nodes[0]['colour'] = 'red'
    graph.edges[0, 1]['length'] = 'much'
    edge_index, num_nodes = observed_graph(graph)
    assert edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert num_nodes == 3
