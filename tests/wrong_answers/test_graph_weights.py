r"""Weights of a given graph: no part of the model, so never overlooked."""

import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.testing import withPackage
from torch_geometric.transforms import ToSparseTensor
from torch_geometric.utils import from_networkx

from torch_geometric_vgcn import (
    EvidencePrior,
    SmoothedPrior,
    VariationalGraphLearner,
    fitted_prior,
)
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNNodeClassifier
from torch_geometric_vgcn.prior import resource_allocation

N = 12
QUICK = {
    'trust': 0.9,
    'n_neighbors': 2,
    'hidden': 8,
    'max_iter': 5,
    'random_state': 0,
}
ROW, COL = np.arange(N - 1), np.arange(1, N)
ONES = np.ones(N - 1)


def weights(*first):
    r"""Ones, except for the first."""
    value = ONES.copy()
    value[: len(first)] = first
    return value


BAD = {
    'a half': weights(0.5),
    'two': weights(2.0),
    'negative': weights(-1.0),
    'NaN': weights(np.nan),
    'infinite': weights(np.inf),
    'all alike': weights() * 0.3,
    'almost none': weights(1e-300),
}
FORMATS = ('coo', 'csr', 'csc', 'dok', 'lil', 'torch', 'torch csr', 'networkx')


def made(form, value):
    r"""A path with these weights."""
    index = (ROW, COL)
    if form == 'networkx':
        graph = networkx.empty_graph(N)
        ends = zip(*map(np.ndarray.tolist, (ROW, COL, value)), strict=True)
        graph.add_weighted_edges_from(ends)
        return graph
    if form.startswith('torch'):
        value = torch.from_numpy(value)
        index = torch.from_numpy(np.stack(index))
        graph = torch.sparse_coo_tensor(index, value, (N, N))
        return graph.to_sparse_csr() if 'csr' in form else graph
    graph = scipy.sparse.coo_array((value, index), shape=(N, N))
    return graph if form == 'coo' else graph.asformat(form)


def table():
    x = np.random.RandomState(0).randn(N, 3)
    return x, np.where(np.arange(N) % 4 == 3, -1, np.arange(N) % 2)


@pytest.mark.parametrize('bad', BAD)
@pytest.mark.parametrize('form', FORMATS)
def test_weights_of_a_graph_are_refused(form, bad):
    graph, plain = made(form, BAD[bad]), made('csr', ONES)
    with pytest.raises(ValueError, match="'edge_index'"):
        SmoothedPrior(graph)
    prior = SmoothedPrior(plain)
    learner = VariationalGraphLearner(GCNConv(3, 2), prior)
    with pytest.raises(ValueError, match="'edge_index'"):
        learner(torch.randn(N, 3), graph)
    with pytest.raises(ValueError, match="'edge_index'"):
        EvidencePrior(prior, graph, similarity=resource_allocation)
    with pytest.raises(ValueError, match="'graph'"):
        VGCNClassifier(**QUICK).fit(*table(), graph=graph)


@pytest.mark.parametrize('form', FORMATS)
@pytest.mark.parametrize('dtype', [float, np.int64, bool, np.float32])
def test_weights_of_one_are_edges_and_those_of_zero_are_none(form, dtype):
    graph = made(form, weights(0, 0).astype(dtype))
    prior = SmoothedPrior(graph)
    assert prior.pairs.index.tolist() == [ROW[2:].tolist(), COL[2:].tolist()]
    clf = VGCNClassifier(**QUICK).fit(*table(), graph=graph)
    assert clf.given_graph_.nnz == 2 * (N - 3)


@withPackage('torch_sparse')
@pytest.mark.parametrize('bad', BAD)
def test_a_sparse_tensor_with_weights_is_refused(bad):
    from torch_sparse import SparseTensor

    index = torch.from_numpy(np.stack([ROW, COL]))

    def tensor(value):
        value = torch.from_numpy(value)
        return SparseTensor.from_edge_index(index, value, (N, N))

    with pytest.raises(ValueError, match="'edge_index'"):
        SmoothedPrior(tensor(BAD[bad]))
    assert len(SmoothedPrior(tensor(weights(0.0))).pairs) == N - 2


@pytest.mark.parametrize('weight', ['much', None, 0.5, -1, np.nan, pandas.NA])
@pytest.mark.parametrize('kind', [networkx.Graph, networkx.MultiDiGraph])
def test_a_weight_of_one_edge_is_not_overlooked(kind, weight):
    graph = networkx.path_graph(4, create_using=kind)
    graph.add_edge(3, 0, weight=weight)
    with pytest.raises(ValueError, match="'edge_index'"):
        SmoothedPrior(graph)


def data_with(**attributes):
    x, y = table()
    return Data(
        x=torch.from_numpy(x).float(),
        y=torch.from_numpy(y),
        edge_index=torch.from_numpy(np.stack([ROW, COL])),
        num_nodes=N,
        **attributes,
    )


@pytest.mark.parametrize('bad', BAD)
@pytest.mark.parametrize('key', ['edge_weight', 'edge_attr'])
def test_weights_in_data_are_refused(key, bad):
    weight = torch.from_numpy(BAD[bad])
    for value in (weight, weight.unsqueeze(1)):
        with pytest.raises(ValueError, match=f"'data.{key}'"):
            VGCNNodeClassifier(**QUICK).fit(data_with(**{key: value}))


def test_attributes_in_data_are_refused():
    r"""The classifier has no use for them."""
    data = data_with(edge_attr=torch.eye(N - 1))
    with pytest.raises(ValueError, match="'data.edge_attr'"):
        VGCNNodeClassifier(**QUICK).fit(data)


@pytest.mark.parametrize('key', ['edge_weight', 'edge_attr'])
def test_ones_and_zeros_in_data(key):
    weight = torch.from_numpy(weights(0, 0))
    for value in (weight, weight.long(), weight.bool(), weight.view(-1, 1)):
        model = VGCNNodeClassifier(**QUICK).fit(data_with(**{key: value}))
        assert model.classifier.given_graph_.nnz == 2 * (N - 3)


def test_weights_that_a_transform_or_converter_left_are_refused():
    data = data_with(edge_weight=torch.from_numpy(BAD['a half']))
    data = ToSparseTensor(attr='edge_weight')(data)
    with pytest.raises(ValueError, match="'data.adj_t'"):
        VGCNNodeClassifier(**QUICK).fit(data)
    data = from_networkx(made('networkx', BAD['a half']))
    data.x, data.y = torch.eye(N), torch.arange(N) % 2
    assert 'weight' in data
    with pytest.raises(ValueError, match="'data.weight'"):
        VGCNNodeClassifier(**QUICK).fit(data)
    # A weight of each node is none of its edges:
    data = data_with(weight=torch.rand(N))
    VGCNNodeClassifier(**QUICK).fit(data)


@pytest.mark.parametrize('key', ['edge_weight', 'edge_attr'])
def test_a_fitted_prior_does_not_overlook_weights(key):
    x, y = torch.randn(40, 3), torch.arange(40) % 2
    mask = torch.arange(40) // 2 % 4
    data = Data(
        x=x + 3 * y[:, None],
        y=y,
        edge_index=torch.stack([torch.arange(38), torch.arange(2, 40)]),
        train_mask=mask < 2,
        val_mask=mask == 2,
    )
    torch.manual_seed(0)
    plain = fitted_prior(data, epochs=5)
    data[key] = torch.ones(38)
    torch.manual_seed(0)
    assert torch.equal(fitted_prior(data, epochs=5).logits, plain.logits)
    data[key][3] = 0
    assert len(fitted_prior(data, epochs=5).pairs) == 37
    data[key][3] = 0.5
    with pytest.raises(ValueError, match=f"'data.{key}'"):
        fitted_prior(data, epochs=5)


def test_entries_that_add_up_are_one_weight():
    r"""A matrix of coordinates is the sum of its entries."""
    row, col, value = [0, 0, 1, 1, 2], [1, 1, 2, 2, 3], [0.5, 0.5, 1, -1, 1]
    index = np.array([row, col])
    coo = scipy.sparse.coo_array((value, index), shape=(N, N))
    tensor = torch.sparse_coo_tensor(
        torch.from_numpy(index), torch.tensor(value), (N, N)
    )
    for graph in (coo, coo.tocsr(), tensor, tensor.coalesce()):
        assert SmoothedPrior(graph).pairs.index.tolist() == [[0, 2], [1, 3]]
    assert coo.nnz == 5
    twice = scipy.sparse.coo_array((np.ones(5), index), shape=(N, N))
    for graph in (twice, twice.tocsr()):
        with pytest.raises(ValueError, match="'edge_index'"):
            SmoothedPrior(graph)


def test_attributes_need_edges_in_a_given_order():
    r"""A matrix sorts its entries: attributes would go to other edges."""
    index = torch.tensor([[5, 0, 2], [6, 1, 3]])
    attribute = torch.tensor([[5.0], [0.0], [2.0]])
    adj = torch.sparse_coo_tensor(index, torch.ones(3), (N, N))
    matrix = scipy.sparse.csr_array((np.ones(3), index.numpy()), (N, N))
    for graph in (adj, matrix, networkx.Graph(index.t().tolist())):
        with pytest.raises(ValueError, match="'edge_attr'"):
            SmoothedPrior(graph, N, edge_attr=attribute)
    for graph in (index, index.numpy(), index.t().tolist()):
        prior = SmoothedPrior(graph, N, edge_attr=attribute)
        assert prior.edge_index is not None
        ends = [(5, 6), (0, 1), (2, 3)]
        assert list(map(tuple, prior.edge_index.t().tolist())) == ends
    learner = VariationalGraphLearner(GCNConv(3, 2), SmoothedPrior(index, N))
    x, attribute = torch.randn(N, 3), torch.rand(N, 1)
    with pytest.raises(ValueError, match="'edge_attr'"):
        learner(x, adj, attribute)
