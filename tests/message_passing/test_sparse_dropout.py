import pytest
import torch
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import SmoothedPrior, VariationalGraphLearner
from torch_geometric_vgcn.message_passing import SparseDropout


@pytest.mark.parametrize('layout', [torch.sparse_csr, torch.sparse_coo])
def test_non_zeros_are_dropped_or_scaled(layout):
    x = (torch.rand(100, 50) < 0.2).float()
    dropout = SparseDropout(0.25)
    out = dropout(x.to_sparse(layout=layout))
    assert out.layout == torch.sparse_csr
    dense = out.to_dense()
    assert (dense[x == 0] == 0).all()
    kept = dense[x == 1]
    assert 0.7 < float((kept > 0).float().mean()) < 0.8
    assert torch.allclose(kept[kept > 0], torch.tensor(4 / 3))
    dropout.eval()
    assert torch.equal(dropout(x.to_sparse(layout=layout)).to_dense(), x)


def test_dense_features_are_dropped_as_by_pytorch():
    x = torch.rand(10, 10)
    torch.manual_seed(0)
    expected = torch.nn.functional.dropout(x)
    torch.manual_seed(0)
    assert torch.equal(SparseDropout()(x), expected)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = SparseDropout()
        self.conv = GCNConv(30, 4)

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(self.dropout(x), edge_index, edge_weight)


def test_features_stay_sparse_through_dropout_and_the_first_layer():
    x = (torch.rand(40, 30) < 0.1).float().to_sparse_csr()
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    learner = VariationalGraphLearner(Model(), SmoothedPrior(edge_index, 40))
    learner(x, num_samples=2).sum().backward()
    features = learner.route.features
    places = features._places
    assert places is not None
    learner(x, num_samples=2)
    assert features._places is places  # computed once
    # The weight's gradient is that of the features as they were dropped:
    grad = learner.conv.conv.lin.weight.grad
    assert grad.isfinite().all() and (grad != 0).any()
