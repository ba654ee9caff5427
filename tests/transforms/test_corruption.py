"""Former transforms, which do what they did, and warn."""

import pytest
import torch
from torch_geometric.data import Data

from torch_geometric_vgcn import transforms as T

pytestmark = pytest.mark.filterwarnings('ignore::DeprecationWarning')
NAMES = ['AddEdges', 'DropEdges', 'HideLabels', 'ShuffleFeatures']


@pytest.mark.parametrize('name', NAMES)
def test_they_warn(name):
    with pytest.warns(DeprecationWarning, match='torch_geometric'):
        getattr(T, name)(0.5)
    with pytest.raises(ValueError, match="'share' must"):
        getattr(T, name)(-0.5)


def test_a_share_of_the_edges_goes_and_comes(citeseer):
    out = T.DropEdges(0.25)(citeseer)
    assert out.num_edges == citeseer.num_edges - 2 * 1138  # of 4,552
    assert out.removed_pairs.shape == (2, 1138)
    out = T.AddEdges(1.0)(out)
    assert out.num_edges == 2 * (citeseer.num_edges - 2 * 1138)
    assert T.DropEdges(1.0)(citeseer).num_edges == 0


@pytest.mark.parametrize(('share', 'left'), [(0, 120), (0.25, 90), (1, 0)])
def test_a_share_of_the_training_nodes_goes(citeseer, share, left):
    out = T.HideLabels(share)(citeseer)
    assert int(out.train_mask.sum()) == left
    assert not (out.train_mask & ~citeseer.train_mask).any()


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
def test_sparse_features_are_shuffled_like_dense_ones(layout):
    x = torch.rand(20, 5)
    expected = T.ShuffleFeatures(0.5)(Data(x=x)).x
    assert int((expected != x).any(dim=1).sum()) == 10
    out = T.ShuffleFeatures(0.5)(Data(x=x.to_sparse(layout=layout))).x
    assert out.layout == layout
    assert torch.equal(out.to_dense(), expected)
