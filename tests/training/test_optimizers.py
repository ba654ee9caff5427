"""The optimisers of a learner: steps of free logits along the bound."""

import copy
from functools import partial

import pytest
import torch
from torch.optim import SGD, Adam, SparseAdam
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN, GCNConv

from torch_geometric_vgcn import (
    AmortizedPosterior,
    ClusterPairs,
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.training import optimizers

RATES = {'num_labels': 1, 'lr': 0.02, 'logit_lr': 0.3, 'weight_decay': 0.1}


@pytest.fixture
def learner(graph):
    return VariationalGraphLearner(
        GCNConv(3, 2), SmoothedPrior(graph, 6), posterior=FreePosterior()
    )


def test_weights_and_logits_have_their_own_rates(learner):
    weights, logits = optimizers(learner, **RATES)
    (group,) = weights.param_groups
    assert (group['lr'], group['weight_decay']) == (0.02, 0.1)
    assert len(group['params']) == 2
    (group,) = logits.param_groups
    assert (group['lr'], group['weight_decay']) == (0.3, 0)
    assert group['params'][0] is learner.posterior.offset
    assert isinstance(logits, SGD)


def test_an_optimiser_of_ones_choice_for_the_logits(learner):
    make = partial(SGD, momentum=0.9)
    weights, logits = optimizers(learner, **RATES, logit_optimizer=make)
    assert isinstance(weights, Adam) and isinstance(logits, SGD)
    (group,) = logits.param_groups
    assert (group['lr'], group['momentum']) == (0.3, 0.9)
    before = learner.posterior.offset.detach().clone()
    grad = torch.arange(7.0)
    learner.posterior.offset.grad = grad
    logits.step()
    # A step as large as the gradient, unlike Adam's:
    assert learner.posterior.offset.allclose(before - 0.3 * grad)


def test_sparse_gradients_have_sparse_adam(graph):
    posterior = FreePosterior(sparse=True)
    prior = SmoothedPrior(graph, 6)
    VariationalGraphLearner(GCNConv(3, 2), prior, posterior)
    learner = VariationalGraphLearner(GCNConv(3, 2), prior, posterior)
    for make, kind in ((None, SGD), (Adam, SparseAdam), (SGD, SGD)):
        steps = optimizers(learner, **RATES, logit_optimizer=make)
        assert [type(step) for step in steps] == [Adam, kind]


def test_a_model_without_a_posterior(graph):
    model = FixedGraph(GCNConv(3, 2), graph)
    (weights,) = optimizers(model, **RATES)
    assert len(weights.param_groups[0]['params']) == 2


def test_what_makes_no_optimiser_is_refused(learner):
    with pytest.raises(TypeError, match="'logit_optimizer' must make a torch"):
        make = lambda parameters, lr: 0  # noqa: E731
        optimizers(learner, **RATES, logit_optimizer=make)


@pytest.fixture
def data():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def karate(data, posterior=None, pairs=None, edge_index=None):
    seed_everything(0)
    edge_index = data.edge_index if edge_index is None else edge_index
    prior = SmoothedPrior(edge_index, 34, rho1=0.5, pairs=pairs)
    net = GCN(34, 8, 2, 4, dropout=0.5)
    return VariationalGraphLearner(net, prior, posterior or FreePosterior())


def bound_of(learner, data, nodes):
    torch.manual_seed(1)
    out = learner(data.x, num_samples=2)
    return learner.objective(out, data.y, nodes)


@pytest.mark.parametrize('num_labels', [4, 20])
@pytest.mark.parametrize('rate', [None, 0.5])
def test_a_step_is_the_rate_times_the_gradient_of_the_bound(
    data, num_labels, rate
):
    nodes, whole, learner = (
        torch.arange(num_labels),
        karate(data),
        karate(data),
    )
    bound_of(whole, data, nodes).bound.backward()
    evidence = whole.posterior.offset.grad
    steps = optimizers(learner, num_labels, logit_lr=rate)
    bound_of(learner, data, nodes).loss.backward()
    for step in steps:
        step.step()
    expected = (0.1 if rate is None else rate) * evidence
    torch.testing.assert_close(learner.posterior.offset.detach(), expected)
    assert expected.abs().max() > 1e-4


def test_sparse_steps_are_dense_ones_in_the_end(data):
    # One gradient, and then none for long: momentum spreads it over steps.
    offsets = []
    for sparse in (False, True):
        learner = karate(data, FreePosterior(sparse))
        _, step = optimizers(learner, 4)
        bound_of(learner, data, torch.arange(4)).loss.backward()
        offset = learner.posterior.offset
        step.step()
        for _ in range(0 if sparse else 300):
            offset.grad.zero_()
            step.step()
        offsets.append(offset.detach())
    torch.testing.assert_close(*offsets)


def test_other_parameters_of_a_posterior_have_adam(data):
    encoder = torch.nn.Linear(34, 4)
    learner = karate(data, FreePosterior() + AmortizedPosterior(encoder))
    others, free = optimizers(learner, 4, lr=0.03)
    assert isinstance(others, Adam) and isinstance(free, SGD)
    (offset,) = free.param_groups[0]['params']
    assert offset is learner.posterior.terms[0].offset
    found = {
        id(parameter): (group['lr'], group['weight_decay'])
        for group in others.param_groups
        for parameter in group['params']
    }
    assert found[id(encoder.weight)] == (0.03, 0)
    assert len(found) + 1 == sum(1 for _ in learner.parameters())


def default(data):
    seed_everything(0)
    prior = SmoothedPrior(data.edge_index, 34, rho1=0.5)
    return VariationalGraphLearner(GCN(34, 8, 2, 4, dropout=0.5), prior)


def test_a_loop_of_ones_own_is_bit_identical_to_fit(data):
    fitted = default(data)
    result = fit(fitted, data, epochs=60, patience=60, progress=False)
    expected = [row['loss'] for row in result.history]

    learner, losses, states = default(data), [], []
    steps = optimizers(learner, int(data.train_mask.sum()))
    for _ in range(60):
        learner.zero_grad()
        out = learner(data.x, num_samples=3)
        loss = learner.objective(out, data.y, data.train_mask).loss
        loss.backward()
        for step in steps:
            step.step()
        losses.append(loss.item())
        learner.predict(data.x, num_samples=3)  # as validation does
        states.append(copy.deepcopy(learner.state_dict()))
    assert losses == expected
    for name, value in fitted.state_dict().items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(value, states[result.best_epoch][name]), name


@pytest.mark.parametrize('sparse', [False, True])
def test_a_step_on_a_batch_is_along_its_own_bound(data, sparse):
    # Clusters have no pairs in common, so that in an epoch each logit moves
    # as far per nat as on the whole graph, however many batches there are.
    clusters = ClusterData(data, 4, log=False)
    pairs = ClusterPairs(clusters.cluster)
    inside = data.edge_index[:, pairs.joins(data.edge_index)]
    learner = karate(data, FreePosterior(sparse), pairs, inside)
    loader = ClusterLoader(clusters, batch_size=1)
    fit(learner, data, loader, epochs=1, lr=1e-9, progress=False)

    expected = karate(data, FreePosterior(sparse), pairs, inside)
    offset = expected.posterior.offset
    velocity = torch.zeros_like(offset)
    for batch in ClusterLoader(clusters, batch_size=1):
        prior = expected.prior.subset(batch.n_id)
        out = expected(batch.x, num_samples=3, prior=prior)
        train = batch.train_mask.nonzero().view(-1)
        got = expected.objective(out, batch.y, train, train.numel())
        offset.grad = None
        got.bound.backward()
        velocity = (0.0 if sparse else 0.9) * velocity + offset.grad.to_dense()
        with torch.no_grad():
            offset += (1.0 if sparse else 0.1) * velocity
    assert (offset != 0).any()
    torch.testing.assert_close(
        learner.posterior.offset, offset, rtol=1e-3, atol=1e-6
    )
