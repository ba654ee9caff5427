import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from torch_geometric_vgcn.transforms import AddEdges, DropEdges


def test_a_share_of_the_edges_goes(citeseer):
    out = DropEdges(0.25)(citeseer)
    assert out.num_edges == citeseer.num_edges - 2 * 1138  # of 4,552
    assert out.removed_pairs.shape == (2, 1138)
    assert out.added_pairs.shape == (2, 0)


def test_all_edges_can_go(citeseer):
    out = DropEdges(1.0)(citeseer)
    assert out.num_edges == 0
    assert out.num_nodes == citeseer.num_nodes


def test_what_was_dropped_can_be_added_again(citeseer):
    out = Compose([DropEdges(0.5), AddEdges(1.0)])(citeseer)
    assert out.num_edges == citeseer.num_edges
    assert out.added_pairs.size(1) == out.removed_pairs.size(1) <= 2276


@pytest.mark.parametrize('share', [-0.1, 1.1, torch.nan])
def test_a_share_lies_between_zero_and_one(share):
    with pytest.raises(ValueError, match="'share' must lie between 0 and 1"):
        DropEdges(share)


def test_nodes_that_lose_their_last_edge_still_count():
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = DropEdges(1.0)(Data(edge_index=edges))  # no other sign of node 2
    assert data.num_nodes == 3
