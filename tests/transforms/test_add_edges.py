import pytest
import torch

from torch_geometric_vgcn.transforms import AddEdges, RandomPerturbation


@pytest.mark.parametrize(('share', 'count'), [(0.1, 455), (2.0, 9104)])
def test_edges_come_as_a_share_of_those_there_are(citeseer, share, count):
    out = AddEdges(share)(citeseer)
    assert out.added_pairs.shape == (2, count)
    assert out.num_edges == citeseer.num_edges + 2 * count


def test_it_is_a_random_perturbation(citeseer):
    out = AddEdges(0.1, seed=3)(citeseer)
    same = RandomPerturbation(add=455, seed=3)(citeseer)
    assert torch.equal(out.edge_index, same.edge_index)


def test_a_share_is_positive():
    with pytest.raises(ValueError, match="'share' must be positive"):
        AddEdges(-1.0)
