import pytest
import torch

from torch_geometric_vgcn import (
    ELBO,
    Bernoulli,
    FreePosterior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.objective import BernoulliKL
from torch_geometric_vgcn.sample import StraightThroughBernoulli


def learner_of(tiny, sampler, beta=1.0):
    learner = VariationalGraphLearner(
        tiny.conv,
        tiny.prior,
        sampler=sampler,
        objective=ELBO(BernoulliKL(), beta=beta),
        posterior=FreePosterior(),
    )
    torch.manual_seed(1)
    learner.posterior.offset.data = torch.randn(6)
    return learner


@pytest.mark.parametrize('sampler', [Bernoulli, StraightThroughBernoulli])
def test_estimate_is_the_enumerated_bound(tiny, sampler):
    learner = learner_of(tiny, sampler())
    exact = tiny.elbo(learner.posterior(tiny.prior).detach())
    out = learner(tiny.x, num_samples=4000)
    bound = learner.objective(out, tiny.y)
    assert bound.bound.item() == pytest.approx(float(exact), abs=0.05)
    parts = bound.log_likelihood - bound.kl
    assert torch.allclose(bound.bound, parts, atol=1e-4)
    assert float(exact) < float(tiny.log_evidence())


def test_bound_is_tight_where_the_posterior_is_exact(tiny):
    # Any logits give a lower bound, the best ones come close.
    logits = tiny.prior.logits.clone().requires_grad_()
    optimizer = torch.optim.Adam([logits], lr=0.1)
    evidence = float(tiny.log_evidence())
    for _ in range(200):
        optimizer.zero_grad()
        (-tiny.elbo(logits)).backward()
        optimizer.step()
        assert float(tiny.elbo(logits)) <= evidence + 1e-5
    assert float(tiny.elbo(logits)) > float(tiny.elbo(tiny.prior.logits))


def test_score_function_gradient_is_unbiased(tiny):
    learner = learner_of(tiny, Bernoulli())
    offset = learner.posterior.offset
    (exact,) = torch.autograd.grad(
        tiny.elbo(learner.posterior(tiny.prior)), offset
    )
    out = learner(tiny.x, num_samples=6000)
    (estimate,) = torch.autograd.grad(
        learner.objective(out, tiny.y).bound, offset
    )
    assert torch.allclose(estimate, exact, atol=0.03)


def test_baseline_is_the_mean_of_the_other_samples(tiny):
    learner = learner_of(tiny, Bernoulli(), beta=0.0)
    out = learner(tiny.x, num_samples=3)
    sample = learner.sample
    f = learner.likelihood.log_prob(out, tiny.y).sum(-1).detach()
    others = torch.stack([(f.sum() - f[s]) / 2 for s in range(3)])
    expected = torch.autograd.grad(
        ((f - others) * sample.log_prob).mean(),
        learner.posterior.offset,
        retain_graph=True,
    )
    got = torch.autograd.grad(
        learner.objective(out, tiny.y).bound, learner.posterior.offset
    )
    assert torch.allclose(got[0], expected[0], atol=1e-5)


def test_one_sample_has_no_baseline(tiny):
    learner = learner_of(tiny, Bernoulli())
    with pytest.raises(ValueError, match="'num_samples' must be at least 2"):
        learner.objective(learner(tiny.x), tiny.y)


def test_mini_batches_of_labels_add_up(tiny):
    learner = learner_of(tiny, StraightThroughBernoulli())
    out = learner(tiny.x, num_samples=5)
    whole = learner.objective(out, tiny.y).bound
    halves = [
        learner.objective(out, tiny.y, torch.tensor(nodes), num_labeled=4)
        for nodes in ([0, 1], [2, 3])
    ]
    assert torch.allclose((halves[0].bound + halves[1].bound) / 2, whole)
    assert torch.allclose(halves[0].loss, -halves[0].bound / 4)


def test_mini_batches_of_pairs_scale_the_divergence(tiny):
    learner = learner_of(tiny, StraightThroughBernoulli())
    out = learner(tiny.x)
    once = learner.objective(out, tiny.y)
    thrice = learner.objective(out, tiny.y, kl_scale=3.0)
    assert torch.allclose(thrice.kl, 3 * once.kl)
    assert torch.allclose(once.bound - thrice.bound, 2 * once.kl)
