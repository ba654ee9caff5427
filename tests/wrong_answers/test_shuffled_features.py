"""Each node that is chosen gets the features of another one."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from torch_geometric_vgcn.transforms import ShuffleFeatures


@given(num_nodes=st.integers(1, 30), share=st.floats(0, 1))
def test_a_share_of_one_node_is_refused_and_all_others_change(
    num_nodes, share
):
    x = torch.arange(num_nodes).view(-1, 1).float()
    transform, count = ShuffleFeatures(share), round(share * num_nodes)
    if count == 1:
        with pytest.raises(ValueError, match="'share'"):
            transform(Data(x=x))
        return
    out = transform(Data(x=x)).x
    assert int((out != x).sum()) == count
    assert torch.equal(out.sort(dim=0).values, x)
