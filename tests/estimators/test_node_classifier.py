import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data
from torch_geometric.utils import add_self_loops

from torch_geometric_vgcn.estimators import VGCNNodeClassifier

QUICK = {'trust': 0.9, 'n_neighbors': 5, 'max_iter': 40, 'random_state': 0}


@pytest.fixture
def data(blobs):
    x, truth, y = blobs
    same = truth[:, None] == truth[None]
    edges = np.stack(np.nonzero(np.triu(same, 1)))[:, ::17]
    known = torch.from_numpy(y >= 0)
    first = torch.arange(120) % 2 == 0
    return Data(
        x=torch.from_numpy(x).float(),
        y=torch.from_numpy(truth),
        edge_index=torch.from_numpy(edges),
        train_mask=known & first,
        val_mask=known & ~first,
        test_mask=~known,
    )


def test_it_learns_from_data(data):
    model = VGCNNodeClassifier(**QUICK).fit(data)
    label, prob = model.predict(return_prob=True)
    assert (label == data.y)[data.test_mask].float().mean() > 0.85
    assert prob.shape == (120, 3)
    assert model.graph_.nnz == 2 * data.num_edges
    assert 'VGCNNodeClassifier(' in repr(model)
    assert clone(model).get_params() == model.get_params()
    assert model.classifier is model


def test_other_labels_are_not_looked_at(data):
    prob = VGCNNodeClassifier(**QUICK).fit(data).predict(return_prob=True)[1]
    data.y[data.test_mask] = 0
    other = VGCNNodeClassifier(**QUICK).fit(data).predict(return_prob=True)[1]
    assert torch.equal(prob, other)


def test_unseen_nodes_and_sparse_features(data):
    model = VGCNNodeClassifier(**QUICK).fit(data)
    label = model.predict(Data(x=data.x[:7]))
    assert label.shape == (7,)
    assert torch.equal(model.predict(data.x[:7]), label)
    sparse = Data(x=data.x[:7].to_sparse())
    assert torch.equal(model.predict(sparse), label)


def test_without_masks_and_without_a_graph(data):
    given = Data(x=data.x, y=data.y.where(~data.test_mask, -1))
    label = VGCNNodeClassifier(**QUICK).fit(given).predict()
    assert (label == data.y).float().mean() > 0.85


def test_labels_as_a_column_and_loops(data):
    expected = VGCNNodeClassifier(**QUICK).fit(data).predict()
    data.y = data.y.view(-1, 1)  # as in OGB
    data.edge_index, _ = add_self_loops(data.edge_index)
    assert torch.equal(
        VGCNNodeClassifier(**QUICK).fit(data).predict(), expected
    )


@pytest.mark.parametrize('shape', [(50,), (120, 3), (120, 120)])
def test_labels_of_another_shape(data, shape):
    data.y = torch.zeros(shape, dtype=torch.long)
    with pytest.raises(ValueError, match=r"'data.y' must have shape \[120\]"):
        VGCNNodeClassifier(**QUICK).fit(data)


def test_what_is_missing_is_named(data):
    with pytest.raises(NotFittedError):
        VGCNNodeClassifier().predict()
    with pytest.raises(ValueError, match='y'):
        VGCNNodeClassifier().fit(Data(x=data.x))
    with pytest.raises(TypeError, match="'data' must be"):
        VGCNNodeClassifier().fit(data.x)
    with pytest.raises(ValueError, match="'graph' must be None"):
        VGCNNodeClassifier().fit(data, graph=data.edge_index)


def test_parameters_probabilities_and_files(data, tmp_path):
    model = VGCNNodeClassifier(**QUICK).set_params(max_iter=20)
    prob = model.fit(data).predict_proba()
    assert torch.equal(prob, model.predict(return_prob=True)[1])
    model.save(tmp_path / 'model.vgcn')
    again = VGCNNodeClassifier.load(tmp_path / 'model.vgcn')
    assert torch.equal(again.predict_proba(), prob)
    other = Data(x=data.x[:7])
    assert torch.equal(again.predict(other), model.predict(other))
