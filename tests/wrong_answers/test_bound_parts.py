"""The parts of a bound, and of the loss that is shown, add up to it."""

import io
import math
import re
import sys
import time

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    FixedGraph,
    LogisticKL,
    SemiSupervisedELBO,
    VariationalGraphLearner,
    fit,
    fit_batches,
)
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL, Term
from torch_geometric_vgcn.prior import ConstantPrior
from torch_geometric_vgcn.sample import GraphSample, StraightThroughBernoulli
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    write_graph,
)

SHORT = {'epochs': 5, 'progress': False}
CHOICES = {
    'iw-elbo': lambda: (BinaryConcrete(), IWELBO(LogisticKL(), beta=0.3)),
    'iw-elbo at 1': lambda: (BinaryConcrete(), IWELBO(LogisticKL(), beta=1.0)),
    'elbo': lambda: (BinaryConcrete(), ELBO(LogisticKL(), beta=0.3)),
    'score': lambda: (Bernoulli(), ELBO(BernoulliKL(), beta=2.0)),
    'straight': lambda: (
        StraightThroughBernoulli(),
        IWELBO(BernoulliKL(), beta=0.1),
    ),
}


class Thousand(Term):
    r"""A term that outweighs the bound by far."""

    def loss(self, out, y, mask):
        return 1000.0 + 0.0 * out.sum()


@pytest.fixture
def data(karate):
    return karate


@pytest.fixture
def made(data, learner_of):
    def make(sampler=None, objective=None):
        parts = {'sampler': sampler, 'objective': objective}
        return learner_of(data, rho1=0.5, **parts)

    return make


@pytest.fixture
def trained(data, batches_of):
    def train(loop, learner, **options):
        loader = () if loop is fit else (batches_of(data),)
        return loop(learner, data, *loader, **{**SHORT, **options})

    return train


@pytest.mark.parametrize('choice', CHOICES.values(), ids=CHOICES)
@pytest.mark.parametrize('num_samples', [2, 5])
@pytest.mark.parametrize('batch', [{}, {'num_labeled': 90, 'kl_scale': 3.0}])
def test_log_likelihood_and_divergence_add_up_to_the_bound(
    data, made, choice, num_samples, batch
):
    learner = made(*choice())
    # Away from the prior, so that graphs differ in their divergence:
    torch.nn.init.normal_(learner.posterior.offset, std=2.0)
    out = 5 * learner(data.x, num_samples=num_samples)
    got = learner.objective(
        out, data.y, data.train_mask, **batch, sample=learner.sample
    )
    beta, count = learner.criterion.beta, batch.get('num_labeled', 4)
    parts = got.log_likelihood + got.agreement - beta * got.kl
    torch.testing.assert_close(parts, got.bound, rtol=1e-5, atol=1e-3)
    torch.testing.assert_close(got.loss, -got.bound / count)
    # The divergence is still the divergence:
    scale = batch.get('kl_scale', 1.0)
    kl = scale * learner.criterion.kl(learner.sample).mean()
    torch.testing.assert_close(got.kl, kl)


def test_the_log_likelihood_of_one_graph_is_that_of_its_labels(data, made):
    for choice in CHOICES.values():
        sampler, objective = choice()
        if isinstance(sampler, Bernoulli) and not isinstance(
            sampler, StraightThroughBernoulli
        ):
            continue  # needs two samples
        learner = made(sampler, objective)
        torch.nn.init.normal_(learner.posterior.offset, std=2.0)
        out = learner(data.x)
        got = learner.objective(out, data.y, data.train_mask)
        y = data.y[data.train_mask]
        log_prob = learner.likelihood.log_prob(out[data.train_mask], y)
        torch.testing.assert_close(
            got.log_likelihood, log_prob.sum(), rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize('loop', [fit, fit_batches])
@pytest.mark.parametrize('terms', [[], [Thousand()], [Thousand()] * 2])
def test_history_has_the_loss_that_is_minimised_and_its_parts(
    data, made, trained, loop, terms
):
    learner = made()
    result = trained(loop, learner, terms=terms)
    beta, count = learner.criterion.beta, int(data.train_mask.sum())
    for row in result.history:
        assert row['terms'] == pytest.approx(1000.0 * len(terms))
        loss = row['terms'] - row['bound'] / count
        assert row['loss'] == pytest.approx(loss, rel=1e-5)
        parts = row['log_likelihood'] + row['agreement'] - beta * row['kl']
        assert row['bound'] == pytest.approx(parts, rel=1e-4, abs=1e-3)


def test_history_of_a_fixed_graph_has_the_loss_that_is_minimised(data):
    model = FixedGraph(GCN(34, 8, 2, 4), data.edge_index)
    result = fit(model, data, terms=[Thousand()], **SHORT)
    assert all(row['loss'] > 1000 for row in result.history)


@pytest.mark.parametrize('bound', [ELBO, SemiSupervisedELBO])
def test_history_of_a_graph_on_disk_adds_up(data, tmp_path, bound):
    graph = write_graph(
        tmp_path / 'graph',
        x=data.x,
        y=data.y,
        edge_index=data.edge_index,
        train_mask=data.train_mask,
        val_mask=data.val_mask,
        cluster=torch.arange(34) % 4,
        progress=False,
    )
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 4),
        graph.prior(),
        ShardedPosterior(),
        objective=bound(LogisticKL()),
    )
    beta, loader = learner.criterion.beta, StoredClusters(graph)
    for row in fit(learner, graph, loader, **SHORT).history:
        assert (row['agreement'] < 0) == (bound is SemiSupervisedELBO)
        assert row['loss'] == pytest.approx(row['terms'] - row['bound'] / 4)
        parts = row['log_likelihood'] + row['agreement'] - beta * row['kl']
        assert row['bound'] == pytest.approx(parts, rel=1e-4, abs=1e-3)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize('loop', [fit, fit_batches])
def test_the_progress_bar_shows_the_loss_that_is_minimised(
    made, trained, loop, monkeypatch
):
    class Slow(Thousand):
        def loss(self, out, y, mask):
            time.sleep(0.15)  # so that the bar is written in each epoch
            return super().loss(out, y, mask)

    screen = Terminal()
    monkeypatch.setattr(sys, 'stderr', screen)
    result = trained(loop, made(), terms=[Slow()], epochs=3, progress=True)
    shown = re.findall(r'loss=([\d.]+)', screen.getvalue())
    assert shown
    expected = {f'{row["loss"]:.3f}' for row in result.history}
    assert set(shown) <= expected and float(shown[0]) > 1000


@pytest.mark.parametrize('off, on', [(0.5, 0.99), (0.01, 0.9), (0.3, 0.3)])
def test_the_elbo_is_a_lower_bound_from_a_beta_of_one_on(off, on):
    # One pair of two nodes, and a label whose probability depends on it.
    prior = ConstantPrior(AllPairs(2), rho=0.5)
    evidence = math.log((off + on) / 2)
    for edges in ([0, 0, 0, 1], [0, 1], [0, 1, 1, 1], [0] + [1] * 99):
        edge = torch.tensor(edges, dtype=torch.double).unsqueeze(-1)
        # As many graphs with the edge as the posterior expects:
        logits = edge.mean().logit().view(1)
        sample = GraphSample(prior.double(), logits, edge)
        log_prob = torch.where(edge > 0, on, off).log().double()
        for beta in (1.0, 1.5, 10.0):
            bound = ELBO(BernoulliKL(), beta)(log_prob, sample).bound
            assert bound <= evidence + 1e-9
        tempered = ELBO(BernoulliKL(), 0.01)(log_prob, sample).bound
        if (off, on, len(edges)) == (0.5, 0.99, 100):
            assert tempered > evidence + 0.2
