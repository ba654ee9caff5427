"""Only a training step, the backward pass of a loss, may change what a
learner or a term of the loss knows. To compute a bound is not a step.
"""

import copy

import pytest
import torch
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    Bernoulli,
    ClassPosterior,
    FixedGraph,
    FreePosterior,
    Gaussian,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
    fit_batches,
)
from torch_geometric_vgcn.objective import BernoulliKL, Consistency
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    write_graph,
)

SHORT = {'epochs': 4, 'progress': False}
POSTERIORS = pytest.mark.parametrize(
    'posterior',
    [
        lambda: ClassPosterior(4),
        lambda: FreePosterior() + ClassPosterior(4),
    ],
    ids=['classes', 'sum'],
)


@pytest.fixture
def data(karate):
    return karate


@pytest.fixture
def made(data, learner_of):
    def make(posterior, **parts):
        return learner_of(data, posterior=posterior, **parts)

    return make


def state_of(*modules):
    r"""Everything that the modules know, as it is now."""
    return copy.deepcopy([module.state_dict() for module in modules])


def same(first, second):
    return all(
        a.keys() == b.keys()
        and all(
            torch.equal(a[name], b[name])
            for name in a
            if isinstance(a[name], torch.Tensor)
        )
        for a, b in zip(first, second, strict=True)
    )


@pytest.fixture
def trained(data, batches_of):
    def train(loop, learner, **options):
        loader = () if loop is fit else (batches_of(data),)
        return loop(learner, data, *loader, **SHORT, **options)

    return train


@pytest.mark.parametrize('loop', [fit, fit_batches])
def test_training_ends_in_evaluation_mode(data, loop, made, trained):
    bound = ELBO(BernoulliKL())  # which has no agreement of its own
    learner = made(ClassPosterior(4), objective=bound)
    term = Consistency(4)
    trained(loop, learner, terms=[term])
    modules = [*learner.modules(), *term.modules()]
    assert not any(module.training for module in modules)


def test_training_of_a_fixed_graph_ends_in_evaluation_mode(data):
    model = FixedGraph(GCN(34, 8, 2, 4, dropout=0.5), data.edge_index)
    fit(model, data, **SHORT)
    assert not any(module.training for module in model.modules())
    assert torch.equal(model(data.x), model(data.x))  # without dropout


def test_training_of_a_graph_on_disk_ends_in_evaluation_mode(data, tmp_path):
    graph = write_graph(
        tmp_path / 'graph',
        x=data.x,
        y=data.y,
        edge_index=data.edge_index,
        train_mask=data.train_mask,
        val_mask=data.val_mask,
        cluster=torch.arange(34) % 4,
    )
    net, posterior = GCN(34, 8, 2, 4, dropout=0.5), ShardedPosterior()
    learner = VariationalGraphLearner(net, graph.prior(), posterior)
    fit(learner, graph, StoredClusters(graph, 2), **SHORT)
    assert not any(module.training for module in learner.modules())


def test_a_second_training_goes_on_in_training_mode(data, made):
    learner = made(ClassPosterior(4))
    for _ in range(2):
        before = state_of(learner)
        fit(learner, data, **SHORT)
        assert not same(state_of(learner), before)


@POSTERIORS
@pytest.mark.parametrize('loop', [fit, fit_batches])
@pytest.mark.parametrize('training', [False, True], ids=['as is', 'training'])
def test_a_test_bound_after_training_teaches_nothing(
    data, loop, posterior, training, made, trained
):
    learner = made(posterior())
    trained(loop, learner)
    if training:
        learner.train()
    before, prob = state_of(learner), learner.edge_probs().detach().clone()
    learner.objective(learner(data.x), data.y, data.test_mask)
    learner.objective(learner(data.x, num_samples=3), data.y)
    assert same(state_of(learner), before)
    assert torch.equal(learner.edge_probs(), prob)


@pytest.mark.parametrize('loop', [fit, fit_batches])
@pytest.mark.parametrize('training', [False, True], ids=['as is', 'training'])
def test_a_term_evaluated_on_test_labels_counts_none(
    data, loop, training, made, trained
):
    bound = ELBO(BernoulliKL())  # which has no agreement of its own
    learner = made(FreePosterior(), objective=bound)
    term = Consistency(4, warmup=9)
    trained(loop, learner, terms=[term])
    term.train(training)
    before = state_of(term)
    term(learner(data.x, num_samples=3), data.y, data.test_mask)
    assert same(state_of(term), before)


def own_loop(learner, data, terms=(), log=False, steps=5):
    r"""The loop of the docs, which may log the bound of the test nodes."""
    noises = [learner.noise(3) for _ in range(steps)]
    optimizer = torch.optim.Adam(learner.parameters(), lr=0.01)
    for noise in noises:
        if log:
            out = learner(data.x, noise=noise)
            learner.objective(out, data.y, data.test_mask).bound.item()
            for term in terms:
                term(out, data.y, data.test_mask).item()
        optimizer.zero_grad()
        out = learner(data.x, noise=noise)
        loss = learner.objective(out, data.y, data.train_mask).loss
        for term in terms:
            loss = loss + term(out, data.y, data.train_mask)
        loss.backward()
        optimizer.step()


@POSTERIORS
def test_an_own_loop_may_log_the_bound_of_test_labels(data, posterior, made):
    states = []
    for log in (False, True):
        learner, term = made(posterior()), Consistency(4, warmup=3)
        own_loop(learner, data, [term], log)
        states.append(state_of(learner, term))
    assert same(*states)


@POSTERIORS
def test_an_own_loop_teaches(data, posterior, made):
    learner, term = made(posterior()), Consistency(4, warmup=3)
    before = state_of(term)
    own_loop(learner, data, [term])
    moved = (learner.edge_probs() - learner.prior.probs).abs()
    row, col = learner.prior.pairs.index
    known = data.train_mask[row] & data.train_mask[col]
    assert known.any() and (moved[known] > 0.05).all()
    assert term.settled and not same(state_of(term), before)


@pytest.mark.parametrize('part', ['bound', 'loss', 'log_likelihood'])
def test_any_part_of_the_bound_that_is_trained_teaches(data, part, made):
    learner = made(ClassPosterior(4))
    before = state_of(learner)
    out = learner(data.x, num_samples=2)
    bound = learner.objective(out, data.y, data.train_mask)
    assert same(state_of(learner), before)
    getattr(bound, part).backward()
    assert not same(state_of(learner), before)


def test_a_frozen_network_does_not_keep_the_graph_from_being_taught(
    data, made
):
    learner = made(FreePosterior() + ClassPosterior(4), sampler=Bernoulli())
    learner.conv.requires_grad_(False)
    before = state_of(learner)
    out = learner(data.x, num_samples=2)
    loss = learner.objective(out, data.y, data.train_mask).loss
    assert same(state_of(learner), before)
    loss.backward()
    assert not same(state_of(learner), before)


def test_gradients_in_evaluation_mode_teach_nothing(data, made):
    learner = made(FreePosterior() + ClassPosterior(4)).eval()
    term = Consistency(4).eval()
    before = state_of(learner, term)
    x = data.x.clone().requires_grad_()  # of a saliency map
    out = learner(x, num_samples=2)
    loss = learner.objective(out, data.y, data.test_mask).loss
    (loss + term(out, data.y, data.test_mask)).backward()
    assert x.grad.abs().sum() > 0
    assert same(state_of(learner, term), before)


def test_a_network_of_other_classes_is_refused_before_the_step(data, made):
    learner = made(ClassPosterior(3))
    out = learner(data.x)
    with pytest.raises(ValueError, match="'num_classes'"):
        learner.objective(out, data.y, data.train_mask)


def test_a_training_that_is_refused_leaves_the_learner_as_it_was(data):
    torch.manual_seed(0)
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 1),
        SmoothedPrior(data.edge_index, 34),
        likelihood=Gaussian(),
    ).eval()
    data.y = torch.randn(34)
    learner.likelihood.set_temperature(2.0)
    before = state_of(learner)
    with pytest.raises(ValueError, match="'terms'"):
        fit(learner, data, terms=[Consistency(4)], **SHORT)
    assert same(state_of(learner), before) and not learner.training
