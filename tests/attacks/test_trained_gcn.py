import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric.utils import erdos_renyi_graph

from torch_geometric_vgcn.attacks import TrainedGCN


@pytest.fixture
def data():
    y = torch.arange(30) % 2
    x = torch.nn.functional.one_hot(y, 4) + 0.5 * torch.rand(30, 4)
    train = torch.arange(30) < 16
    edge_index = erdos_renyi_graph(30, 0.05)
    return Data(x=x, y=y, edge_index=edge_index, train_mask=train)


@pytest.mark.parametrize('validated', [True, False])
def test_it_learns_with_validation_nodes_or_without(data, validated):
    if validated:
        data.val_mask = ~data.train_mask
    model = TrainedGCN(epochs=100)(data)
    assert isinstance(model, GCN)
    assert not model.training
    hit = model(data.x, data.edge_index).argmax(dim=-1) == data.y
    assert hit[data.train_mask].float().mean() > 0.8
    assert ('val_mask' in data) == validated


def test_its_size_is_as_given(data):
    model = TrainedGCN(hidden_channels=5, dropout=0.1, epochs=1)(data)
    assert model.hidden_channels == 5
    assert float(model.dropout.p) == 0.1


def test_bad_input_is_refused(data):
    for name in ('hidden_channels', 'epochs'):
        with pytest.raises(ValueError, match=f"'{name}' must be at least 1"):
            TrainedGCN(**{name: 0})
    with pytest.raises(ValueError, match="'dropout' must lie between"):
        TrainedGCN(dropout=2)
    data.y.zero_()
    with pytest.raises(ValueError, match="'data.y' must hold at least two"):
        TrainedGCN()(data)
