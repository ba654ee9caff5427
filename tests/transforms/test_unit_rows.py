import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import UnitRows

X = torch.tensor([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, -2.0, 0.0]])
UNIT = torch.tensor([[0.6, 0.8, 0.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


@pytest.mark.parametrize(
    'layout', [torch.strided, torch.sparse_csr, torch.sparse_coo]
)
def test_rows_have_norm_one_and_empty_ones_stay(layout):
    x = X if layout == torch.strided else X.to_sparse(layout=layout)
    data = UnitRows()(Data(x=x))
    sparse = layout != torch.strided
    assert (data.x.layout != torch.strided) == sparse
    assert data.x.to_dense().allclose(UNIT) if sparse else True
    assert sparse or data.x.allclose(UNIT)
    assert data.x.dtype == torch.float


def test_the_given_features_are_left_alone():
    x = X.clone()
    UnitRows()(Data(x=x))
    assert torch.equal(x, X)


def test_huge_rows_do_not_overflow():
    x = torch.tensor([[1e30, 1e30]])
    assert UnitRows()(Data(x=x)).x.allclose(torch.full((1, 2), 0.5**0.5))


@pytest.mark.parametrize(
    'x, message',
    [
        (X.long(), 'floating point'),
        (X.unsqueeze(0), r'shape \[N, F\]|one row'),
        (X * float('nan'), 'must be finite'),
    ],
)
def test_bad_features_are_refused(x, message):
    with pytest.raises((TypeError, ValueError), match=message):
        UnitRows()(Data(x=x, num_nodes=3))
