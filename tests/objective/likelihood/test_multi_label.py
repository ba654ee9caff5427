import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    MultiLabel,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
)

NAN = float('nan')


def labels(*shape):
    return torch.randint(2, shape).float()


@given(st.integers(1, 4), st.integers(0, 5), st.integers(1, 3))
def test_log_prob_is_that_of_independent_labels(s, n, d):
    out, y = 3 * torch.randn(s, n, d), labels(n, d)
    got = MultiLabel().log_prob(out, y)
    expected = torch.distributions.Bernoulli(logits=out).log_prob(y).sum(-1)
    torch.testing.assert_close(got, expected)


def test_unknown_labels_have_no_part():
    out, y = torch.randn(5, 2, requires_grad=True), labels(5, 2)
    each = torch.distributions.Bernoulli(logits=out).log_prob(y).detach()
    y[0, 1] = y[3, 0] = NAN
    got = MultiLabel().log_prob(out, y)
    torch.testing.assert_close(got[0], each[0, 0])
    torch.testing.assert_close(got[3], each[3, 1])
    got.sum().backward()
    assert (out.grad == 0).nonzero().tolist() == [[0, 1], [3, 0]]


def test_gradients():
    y = labels(4, 3).double()
    y[1, 0] = NAN
    out = torch.randn(2, 4, 3).double().requires_grad_()
    likelihood = MultiLabel().double()
    assert torch.autograd.gradcheck(
        lambda out: likelihood.log_prob(out, y), [out]
    )


def test_outputs_far_from_zero_are_finite():
    out = torch.tensor([[1e4, -1e4]], requires_grad=True)
    for y in ([[1.0, 0.0]], [[0.0, 1.0]]):
        got = MultiLabel().log_prob(out, torch.tensor(y))
        (grad,) = torch.autograd.grad(got.sum(), out)
        assert got.isfinite().all() and grad.isfinite().all()


def test_predictions_are_averaged_probabilities(graph):
    learner = VariationalGraphLearner(
        GCN(3, 8, 2, 2),
        SmoothedPrior(graph, 6, rho1=0.5),
        likelihood=MultiLabel(),
    ).eval()
    x, noise = torch.randn(6, 3), learner.noise(7)
    prob = learner.predict(x, noise=noise)
    expected = learner(x, noise=noise).sigmoid().mean(dim=0)
    torch.testing.assert_close(prob, expected)


@pytest.mark.parametrize('temperature', [0.3, 2.0])
def test_calibrated_is_the_formula(temperature):
    likelihood, prob = MultiLabel().double(), torch.rand(5, 3).double()
    assert torch.equal(likelihood.calibrated(prob), prob)
    likelihood.set_temperature(temperature)
    there, gone = (p.pow(1 / temperature) for p in (prob, 1 - prob))
    got = likelihood.calibrated(prob)
    torch.testing.assert_close(got, there / (there + gone))
    assert torch.equal(got > 0.5, prob > 0.5)


@pytest.mark.parametrize('temperature', [1e-320, 0.05, 20.0, 1e308])
@pytest.mark.parametrize(
    'dtype', [torch.half, torch.bfloat16, torch.float, torch.double]
)
def test_any_temperature_gives_probabilities(temperature, dtype):
    prob = torch.tensor([[0, 1, 0.5, 0.3, 1e-7]]).to(dtype)
    likelihood = MultiLabel()
    likelihood.set_temperature(temperature)
    got = likelihood.calibrated(prob)
    assert got.dtype == dtype
    assert ((got >= 0) & (got <= 1)).all()


def test_tempered_is_the_likelihood_of_scaled_predictions():
    likelihood, prob, y = MultiLabel(), torch.rand(5, 2), labels(5, 2)
    y[2, 1] = NAN
    found = likelihood.tempered(prob, y, torch.tensor([0, 2, 3]))
    likelihood.set_temperature(1.7)
    scaled = torch.distributions.Bernoulli(likelihood.calibrated(prob))
    each = scaled.log_prob(y.nan_to_num())
    expected = each[[0, 3]].sum() + each[2, 0]
    assert found(1.7) == pytest.approx(float(expected), rel=1e-4)


def test_the_score_is_micro_f1():
    prob, y = torch.rand(50, 4), labels(50, 4)
    score, nll = evaluate(prob, y, torch.arange(40), MultiLabel())
    expected = f1_score(y[:40], prob[:40] > 0.5, average='micro')
    assert score == pytest.approx(expected)
    log_prob = torch.distributions.Bernoulli(prob).log_prob(y)[:40].sum(-1)
    assert nll == pytest.approx(-float(log_prob.mean()), rel=1e-4)


def test_unknown_labels_are_not_scored():
    prob = torch.tensor([[0.9, 0.9], [0.2, 0.9]])
    y = torch.tensor([[1.0, NAN], [0.0, 1.0]])
    score, nll = evaluate(prob, y, torch.arange(2), MultiLabel())
    assert score == 1
    known = torch.tensor([0.9, 0.8, 0.9]).log().sum()
    assert nll == pytest.approx(-float(known) / 2, rel=1e-5)


def test_a_wrong_certainty_is_finite():
    prob, y = torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.0]])
    _, nll = evaluate(prob, y, torch.tensor([0]), MultiLabel())
    assert 50 < nll < 60
