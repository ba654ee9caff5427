import pytest
import torch

from torch_geometric_vgcn.transforms import HideLabels


@pytest.mark.parametrize(('share', 'left'), [(0, 120), (0.25, 90), (1, 0)])
def test_a_share_of_the_training_nodes_goes(citeseer, share, left):
    out = HideLabels(share)(citeseer)
    assert int(out.train_mask.sum()) == left
    assert not (out.train_mask & ~citeseer.train_mask).any()
    for name in ('val_mask', 'test_mask', 'y'):
        assert torch.equal(out[name], citeseer[name])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="'share' must lie between"):
        HideLabels(-0.5)
