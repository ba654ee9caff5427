import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    Gaussian,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
)
from torch_geometric_vgcn.objective import GaussianPrediction

NAN, INF = float('nan'), float('inf')
ALL = torch.arange(5)


def gaussian(num_targets=None):
    likelihood = Gaussian(num_targets)
    likelihood.log_variance.data = torch.randn(num_targets or 1)
    return likelihood


@given(st.integers(1, 4), st.integers(0, 5), st.integers(1, 3))
def test_log_prob_is_that_of_a_normal_distribution(s, n, d):
    likelihood = gaussian(d)
    out, y = torch.randn(s, n, d), torch.randn(n, d)
    got = likelihood.log_prob(out, y)
    normal = torch.distributions.Normal(out, likelihood.variance.sqrt())
    torch.testing.assert_close(got, normal.log_prob(y).sum(-1))


def test_unknown_targets_have_no_part():
    likelihood, out, y = gaussian(2), torch.randn(5, 2), torch.randn(5, 2)
    each = torch.distributions.Normal(
        out, likelihood.variance.sqrt()
    ).log_prob(y)
    y[0, 1] = y[3, 0] = NAN
    out.requires_grad_()
    got = likelihood.log_prob(out, y)
    torch.testing.assert_close(got[0], each[0, 0])
    torch.testing.assert_close(got[3], each[3, 1])
    got.sum().backward()
    assert out.grad.isfinite().all()
    assert (out.grad == 0).nonzero().tolist() == [[0, 1], [3, 0]]


def test_gradients():
    likelihood = Gaussian(2).double()
    y = torch.randn(4, 2).double()
    y[1, 0] = NAN

    def log_prob(out, log_variance):
        return torch.func.functional_call(
            Calls(likelihood), {'inner.log_variance': log_variance}, (out, y)
        )

    inputs = torch.randn(3, 4, 2).double(), torch.randn(2).double()
    inputs = [value.requires_grad_() for value in inputs]
    assert torch.autograd.gradcheck(log_prob, inputs)


class Calls(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, out, y):
        return self.inner.log_prob(out, y)


@pytest.mark.parametrize('offset', [0.0, 1e4])
def test_predictions_are_the_moments_of_the_mixture(offset):
    # Brute force: a random graph's output, and noise.
    likelihood = gaussian(2)
    likelihood.log_variance.data = torch.tensor([-3.0, 0.5])
    out = offset + torch.randn(6, 5, 2)
    got = likelihood.calibrated(likelihood.mean(out).mean(dim=0))
    assert got.mean.dtype == got.variance.dtype == torch.float
    drawn = out[torch.randint(6, (400_000,))].double()
    noise = likelihood.variance.detach().double().sqrt()
    drawn = drawn + noise * torch.randn(drawn.shape, dtype=torch.double)
    scale = drawn.std(dim=0)
    assert (got.mean - drawn.mean(dim=0)).abs().max() < 1e-2 * scale.max()
    torch.testing.assert_close(
        got.variance, drawn.var(dim=0).float(), rtol=0.02, atol=0
    )


def test_the_learner_predicts_noise_and_variance_between_graphs(graph):
    prior = SmoothedPrior(graph, 6, rho1=0.5)
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 1), prior, likelihood=gaussian()
    ).eval()
    x, noise = torch.randn(6, 3), learner.noise(7)
    out = learner(x, noise=noise).squeeze(-1)
    got = learner.predict(x, noise=noise)
    assert isinstance(got, GaussianPrediction)
    mean, variance = got
    torch.testing.assert_close(mean, out.mean(dim=0))
    between = out.var(dim=0, unbiased=False)
    assert (between > 1e-4).all()
    expected = between + learner.likelihood.variance
    torch.testing.assert_close(variance, expected)
    torch.testing.assert_close(got.std, expected.sqrt())
    assert not variance.requires_grad


def test_the_temperature_scales_the_variance():
    likelihood, moments = gaussian(), torch.rand(5, 1, 2).double() + 1
    before = likelihood.calibrated(moments)
    likelihood.set_temperature(3.0)
    after = likelihood.calibrated(moments)
    assert torch.equal(after.mean, before.mean)
    torch.testing.assert_close(after.variance, 3 * before.variance)
    for temperature in (1e-320, 1e308):
        likelihood.set_temperature(temperature)
        variance = likelihood.calibrated(moments).variance
        assert (variance > 0).all() and variance.isfinite().all()


def test_tempered_is_the_likelihood_of_scaled_predictions():
    likelihood, y = gaussian(2), torch.randn(5, 2)
    y[2, 1] = NAN
    prediction = GaussianPrediction(torch.randn(5, 2), torch.rand(5, 2) + 0.1)
    found = likelihood.tempered(prediction, y, torch.tensor([0, 2, 3]))
    normal = torch.distributions.Normal(
        prediction.mean, (1.7 * prediction.variance).sqrt()
    )
    each = normal.log_prob(y.nan_to_num())
    expected = each[[0, 3]].sum() + each[2, 0]
    assert found(1.7) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize('num_targets', [None, 3])
def test_the_score_is_r2(num_targets):
    likelihood = Gaussian(num_targets)
    shape = (5,) if num_targets is None else (5, 3)
    y, mean = torch.randn(shape), torch.randn(shape)
    variance = torch.rand(shape) + 0.1
    score, nll = evaluate(
        GaussianPrediction(mean, variance), y, torch.arange(4), likelihood
    )
    assert score == pytest.approx(r2_score(y[:4], mean[:4]), rel=1e-5)
    normal = torch.distributions.Normal(mean, variance.sqrt())
    log_prob = normal.log_prob(y)[:4].reshape(4, -1).sum(-1)
    assert nll == pytest.approx(-float(log_prob.mean()), rel=1e-5)


def test_the_score_of_known_targets():
    y, mean = torch.randn(5, 3), torch.randn(5, 3)
    y[0, 0] = NAN
    y[:, 2] = NAN  # unknown for all
    prediction = GaussianPrediction(mean, torch.ones(5, 3))
    score, nll = evaluate(prediction, y, ALL, Gaussian(3))
    expected = r2_score(y[1:, 0], mean[1:, 0]) + r2_score(y[:, 1], mean[:, 1])
    assert score == pytest.approx(expected / 2, rel=1e-5)
    assert math.isfinite(nll)


def test_the_score_where_there_is_nothing_to_explain():
    mean, variance = torch.tensor([1.0, 2.0]), torch.ones(2)
    prediction = GaussianPrediction(mean, variance)
    node = torch.tensor([0])
    for y, score in ((1.0, 1.0), (1.5, 0.0)):
        found, _ = evaluate(
            prediction, torch.tensor([y, 9.0]), node, Gaussian()
        )
        assert found == score


def test_what_is_learned_is_part_of_the_state():
    likelihood, again = gaussian(2), Gaussian(2)
    likelihood.set_temperature(2.0)
    assert set(likelihood.state_dict()) == {'temperature', 'log_variance'}
    again.load_state_dict(likelihood.state_dict())
    assert torch.equal(again.variance, likelihood.variance)
    likelihood.reset_parameters()
    assert likelihood.variance.tolist() == [1, 1]
    assert likelihood.temperature == 1
    assert str(likelihood) == 'Gaussian(2)'
