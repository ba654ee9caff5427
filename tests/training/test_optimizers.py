from functools import partial

import pytest
import torch
from torch.optim import SGD, Adam, SparseAdam
from torch_geometric.nn import GCNConv

from torch_geometric_vgcn import (
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.training.optimizers import make_optimizers

RATES = {'lr': 0.02, 'logit_lr': 0.3, 'weight_decay': 0.1}


@pytest.fixture
def learner(graph):
    return VariationalGraphLearner(
        GCNConv(3, 2), SmoothedPrior(graph, 6), posterior=FreePosterior()
    )


def test_weights_and_logits_have_their_own_rates(learner):
    weights, logits = make_optimizers(learner, [], **RATES)
    (group,) = weights.param_groups
    assert (group['lr'], group['weight_decay']) == (0.02, 0.1)
    assert len(group['params']) == 2
    (group,) = logits.param_groups
    assert (group['lr'], group['weight_decay']) == (0.3, 0)
    assert group['params'][0] is learner.posterior.offset
    assert isinstance(logits, Adam)


def test_an_optimiser_of_ones_choice_for_the_logits(learner):
    make = partial(SGD, momentum=0.9)
    weights, logits = make_optimizers(
        learner, [], **RATES, logit_optimizer=make
    )
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
    sparse = [posterior.offset]
    optimizers = make_optimizers(learner, sparse, **RATES)
    assert [type(o) for o in optimizers] == [Adam, SparseAdam]
    optimizers = make_optimizers(learner, sparse, **RATES, logit_optimizer=SGD)
    assert [type(o) for o in optimizers] == [Adam, SGD]


def test_a_model_without_a_posterior(graph):
    model = FixedGraph(GCNConv(3, 2), graph)
    (weights,) = make_optimizers(model, [], **RATES)
    assert len(weights.param_groups[0]['params']) == 2


def test_what_makes_no_optimiser_is_refused(learner):
    with pytest.raises(TypeError, match="'logit_optimizer' must make a torch"):
        make = lambda parameters, lr: 0  # noqa: E731
        make_optimizers(learner, [], **RATES, logit_optimizer=make)


def test_nothing_to_train_is_refused(learner):
    learner.requires_grad_(False)
    with pytest.raises(ValueError, match='no parameter that requires a grad'):
        make_optimizers(learner, [], **RATES)
