import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import ShuffleFeatures


@given(num_nodes=st.integers(4, 30), share=st.floats(0.4, 1))
def test_a_share_of_the_nodes_gets_those_of_others(num_nodes, share):
    x = torch.arange(num_nodes).view(-1, 1).float()
    out = ShuffleFeatures(share)(Data(x=x)).x
    assert int((out != x).sum()) == round(share * num_nodes)
    assert torch.equal(out.sort(dim=0).values, x)


def test_citeseers_graph_and_labels_stay(citeseer):
    out = ShuffleFeatures(0.5)(citeseer)
    assert torch.equal(out.edge_index, citeseer.edge_index)
    assert torch.equal(out.y, citeseer.y)
    changed = (out.x != citeseer.x).any(dim=1)
    # Some papers have the same words as another:
    assert 1650 < int(changed.sum()) <= 1664
    assert torch.equal(out.x.sum(dim=0), citeseer.x.sum(dim=0))


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
def test_sparse_features_equal_dense_ones(layout):
    x = torch.rand(20, 5)
    expected = ShuffleFeatures(0.5)(Data(x=x)).x
    out = ShuffleFeatures(0.5)(Data(x=x.to_sparse(layout=layout))).x
    assert out.layout == layout
    assert torch.equal(out.to_dense(), expected)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="'share' must lie between"):
        ShuffleFeatures(2.0)
    with pytest.raises(TypeError, match="'data.x' must be a Tensor"):
        ShuffleFeatures(0.5)(Data(num_nodes=2))
