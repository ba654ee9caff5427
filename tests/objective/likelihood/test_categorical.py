import pytest
import torch
from torch.nn.functional import cross_entropy

from torch_geometric_vgcn.objective import Categorical


def test_log_prob_is_the_cross_entropy():
    out, y = torch.randn(3, 5, 4), torch.tensor([0, 3, 1, 2, 2])
    got = Categorical().log_prob(out, y)
    assert got.shape == (3, 5)
    for s in range(3):
        expected = -cross_entropy(out[s], y, reduction='none')
        assert torch.allclose(got[s], expected)


@pytest.mark.parametrize('temperature', [0.2, 0.7, 3.0])
def test_calibrated_is_the_formula(temperature):
    likelihood = Categorical().double()
    prob = torch.randn(5, 4).double().softmax(dim=-1)
    likelihood.set_temperature(temperature)
    expected = prob.pow(1 / temperature)
    expected = expected / expected.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(likelihood.calibrated(prob), expected)


def test_at_first_probabilities_stay_as_they_are():
    prob = torch.tensor([[1.0, 0.0], [1e-40, 1.0], [0.3, 0.7]])
    assert torch.equal(Categorical().calibrated(prob), prob)


@pytest.mark.parametrize('temperature', [1e-320, 1e-3, 0.05, 20.0, 1e308])
@pytest.mark.parametrize(
    'dtype', [torch.half, torch.bfloat16, torch.float, torch.double]
)
def test_any_temperature_gives_probabilities(temperature, dtype):
    prob = torch.tensor([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]).to(dtype)
    for likelihood in (Categorical(), Categorical().to(dtype)):
        likelihood.set_temperature(temperature)
        got = likelihood.calibrated(prob)
        assert got.dtype == dtype and got.isfinite().all()
        one = torch.ones(3, dtype=dtype)
        torch.testing.assert_close(got.sum(-1), one, rtol=0.02, atol=0)
        assert (got.diff(dim=-1).sign() * prob.diff(dim=-1) >= 0).all()
