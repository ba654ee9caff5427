r"""The forms in which a graph may be given."""

import networkx
import numpy as np
import pandas
import polars
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.transforms import ToSparseTensor

from torch_geometric_vgcn import (
    EvidencePrior,
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNNodeClassifier
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import resource_allocation
from torch_geometric_vgcn.scale import write_graph
from torch_geometric_vgcn.transforms import PoisonGraph

PAIRS = [(0, 1), (1, 2), (2, 3), (5, 4)]
QUICK = {
    'trust': 0.9,
    'n_neighbors': 2,
    'hidden': 8,
    'max_iter': 5,
    'random_state': 0,
}


def forms(pairs):
    source, target = zip(*pairs, strict=True)
    columns = {'source': list(source), 'target': list(target)}
    return {
        'tuples': list(pairs),
        'lists': [list(pair) for pair in pairs],
        'rows of an array': list(np.array(pairs)),
        'pandas': pandas.DataFrame(columns),
        'other names and index': pandas.DataFrame(
            {'from': source, 2: target}, index=list('dbca')
        ),
        'polars': polars.DataFrame(columns),
        'array': np.array(pairs).T,
        'int32 array': np.array(pairs, dtype=np.int32).T,
    }


@pytest.mark.parametrize('form', forms(PAIRS))
def test_pairs_and_tables_of_edges_are_graphs(form):
    given = forms(PAIRS)[form]
    right = torch.tensor(PAIRS).t()
    prior = SmoothedPrior(given, 7)
    assert torch.equal(prior.pairs.index, SmoothedPrior(right, 7).pairs.index)
    learner = VariationalGraphLearner(GCNConv(3, 2), prior)
    assert learner(torch.randn(7, 3), given).shape == (7, 2)
    evidence = EvidencePrior(prior, given, similarity=resource_allocation)
    same = EvidencePrior(prior, right, similarity=resource_allocation)
    assert torch.equal(evidence.logits, same.logits)


@pytest.mark.parametrize('form', forms(PAIRS))
def test_estimators_take_them_too(form):
    x = np.random.RandomState(0).randn(7, 3)
    y = [0, 1, 0, 1, -1, -1, -1]
    clf = VGCNClassifier(**QUICK).fit(x, y, graph=forms(PAIRS)[form])
    found = set(zip(*clf.given_graph_.nonzero(), strict=True))
    assert found == {*PAIRS, *[(v, u) for u, v in PAIRS]}


@pytest.mark.parametrize(
    'given',
    [
        [],
        [(0, 1), (1, 7)],
        [(0, 1), (1, -1)],
        [(0, 1), (1, 2**70)],
        [(0, 1, 0.5), (1, 2, 0.5)],
        [[0, 1, 2], [1, 2, 3]],
        ['ab', 'cd'],
        [0, 1],
        [(0, None)],
        [(0, [1])],
        [(0, 1.5)],
        [(0, np.nan)],
        pandas.DataFrame({'source': [0], 'target': [1], 'weight': [0.5]}),
        pandas.DataFrame({'source': [0, 1]}),
        pandas.DataFrame({'source': [0, 1], 'target': [1, np.nan]}),
        pandas.DataFrame([[0, 1]], columns=['node', 'node']),
        pandas.DataFrame({'source': [0, 1], 'target': [1, pandas.NA]}),
        networkx.to_pandas_adjacency(networkx.path_graph(7)),
        polars.DataFrame({'source': [0, 1], 'target': [1, None]}),
        np.array([[0.0, 1.0], [1.0, 2.0]]),
        np.array([['a', 'b'], ['b', 'c']]),
        np.eye(7)[::-1],
        'a graph',
        {0: [1], 1: [2]},
    ],
    ids=str,
)
def test_what_is_no_list_of_edges_is_refused(given):
    with pytest.raises((TypeError, ValueError), match="'edge_index'"):
        SmoothedPrior(given, 7)
    x, y = np.random.RandomState(0).randn(7, 3), [0, 1, 0, 1, -1, -1, -1]
    with pytest.raises((TypeError, ValueError), match="'graph'"):
        VGCNClassifier(**QUICK).fit(x, y, graph=given)


def test_a_list_of_edges_needs_the_number_of_nodes():
    for given in (PAIRS, pandas.DataFrame(PAIRS), np.array(PAIRS).T):
        with pytest.raises(ValueError, match="'num_nodes'"):
            SmoothedPrior(given)


@pytest.mark.parametrize(
    'call',
    [
        lambda edges: SmoothedPrior(edges, 7),
        lambda edges: SmoothedPrior(edges.numpy(), 7),
        lambda edges: Candidates(edges, 7),
        lambda edges: FixedGraph(GCNConv(3, 2), edges),
        lambda edges: PoisonGraph(2)(
            Data(x=torch.ones(7, 3), edge_index=edges)
        ),
        lambda edges: VGCNClassifier(**QUICK).fit(
            np.eye(7), [0, 1, 0, 1, 0, 1, -1], graph=edges.numpy()
        ),
        lambda edges: VGCNNodeClassifier(**QUICK).fit(
            Data(x=torch.eye(7), y=torch.arange(7) % 2, edge_index=edges)
        ),
    ],
)
def test_an_array_of_one_edge_per_row_is_told_to_be_transposed(call):
    with pytest.raises(ValueError, match=r"(edge_index|graph)'.*\.T"):
        call(torch.tensor(PAIRS))


def test_a_graph_on_disk_is_told_to_be_transposed(tmp_path):
    x, y = torch.randn(7, 3), torch.arange(7) % 2
    mask = torch.ones(7, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"'edge_index'.*\.T"):
        write_graph(
            tmp_path, x, torch.tensor(PAIRS), y, mask, mask, num_parts=2
        )


def test_an_adjacency_in_place_of_edges_is_not_overlooked():
    r"""What ToSparseTensor makes of :obj:`edge_index`."""
    edges = torch.tensor(PAIRS).t()
    data = Data(
        x=torch.eye(7), y=torch.arange(7) % 2, edge_index=edges, num_nodes=7
    )
    expected = VGCNNodeClassifier(**QUICK).fit(data).classifier
    data = ToSparseTensor()(data)
    assert 'edge_index' not in data
    found = VGCNNodeClassifier(**QUICK).fit(data).classifier
    assert found.given_graph_ is not None
    assert (found.given_graph_ != expected.given_graph_).nnz == 0


def test_a_sparse_tensor_is_left_as_it_was():
    index = torch.tensor([[0, 1, 0], [1, 0, 1]])
    value = torch.tensor([0.5, 1.0, 0.5])
    adj = torch.sparse_coo_tensor(index, value, (7, 7))
    SmoothedPrior(adj)
    assert not adj.is_coalesced()
    assert adj.to_dense()[0, 1] == 1
