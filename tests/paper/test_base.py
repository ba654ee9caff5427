import torch
from systems.base import blind


def test_blind_hides_test_labels_only(citeseer):
    data = blind(citeseer)
    seen = citeseer.train_mask | citeseer.val_mask
    assert torch.equal(data.y[seen], citeseer.y[seen])
    assert (data.y[~seen] == -1).all()
    assert 'test_mask' not in data
    # The given data are unchanged:
    assert (citeseer.y >= 0).all()
    assert citeseer.test_mask.sum() == 1000
