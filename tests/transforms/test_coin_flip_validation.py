import torch

from torch_geometric_vgcn.transforms import CoinFlipValidation


def test_about_half_of_the_validation_nodes_move(citeseer):
    counts = []
    for seed in range(20):
        out = CoinFlipValidation(seed)(citeseer)
        left = out.train_mask | out.val_mask
        assert torch.equal(left, citeseer.train_mask | citeseer.val_mask)
        assert not (out.train_mask & out.val_mask).any()
        assert torch.equal(out.test_mask, citeseer.test_mask)
        counts.append(int(out.val_mask.sum()))
    # Binomial with mean 250 and standard deviation 11, not always the same:
    assert len(set(counts)) > 5
    assert abs(sum(counts) / 20 - 250) < 10
    assert max(abs(count - 250) for count in counts) < 50
