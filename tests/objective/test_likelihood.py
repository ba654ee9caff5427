import torch
from torch.nn.functional import cross_entropy

from torch_geometric_vgcn import Categorical


def test_log_prob_is_the_cross_entropy():
    out, y = torch.randn(3, 5, 4), torch.tensor([0, 3, 1, 2, 2])
    got = Categorical().log_prob(out, y)
    assert got.shape == (3, 5)
    for s in range(3):
        expected = -cross_entropy(out[s], y, reduction='none')
        assert torch.allclose(got[s], expected)


def test_mean_is_a_distribution():
    prob = Categorical().mean(torch.randn(5, 4))
    assert torch.allclose(prob.sum(-1), torch.ones(5))
