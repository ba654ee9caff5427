import copy

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN, SimpleConv

from torch_geometric_vgcn import (
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.objective import Consistency

GRAPH = KarateClub()[0].edge_index


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def learner_of(data, seed=0):
    seed_everything(seed)
    return VariationalGraphLearner(
        GCN(34, 8, 2, 4, dropout=0.5),
        SmoothedPrior(data.edge_index, data.num_nodes),
        posterior=FreePosterior(),
    )


def test_fit_learns_and_keeps_the_best_state():
    data = karate()
    learner = learner_of(data)
    result = fit(learner, data, epochs=80, progress=False)
    assert result.val_acc > 0.6
    rows = result.history
    whole = rows[49:]  # from which on agreement has its full weight
    best = max(whole, key=lambda row: (row['val_acc'], -row['val_nll']))
    assert rows.index(best) == result.best_epoch
    assert rows[-1]['log_likelihood'] > rows[0]['log_likelihood']
    assert set(rows[0]) == {
        'bound', 'log_likelihood', 'agreement', 'kl', 'terms', 'loss',
        'val_acc', 'val_nll',
    }  # fmt: skip
    assert not torch.allclose(learner.edge_probs(), learner.prior.probs)
    acc, _ = evaluate(learner.predict(data.x, 64), data.y, data.val_mask)
    assert abs(acc - result.val_acc) < 0.2


def test_patience_stops_early():
    data = karate()
    learner = learner_of(data)
    result = fit(learner, data, epochs=500, patience=3, progress=False)
    assert len(result.history) == result.best_epoch + 4


def states_equal(first, second):
    first, second = first.state_dict(), second.state_dict()
    return all(
        torch.equal(first[name], second[name])
        for name in first
        if isinstance(first[name], torch.Tensor)
    )


def with_changes(data, **changes):
    for name, value in changes.items():
        data[name] = value
    return data


@pytest.mark.parametrize(
    'change, error, message',
    [
        ({'train_mask': torch.zeros(34).bool()}, ValueError, "'data.train_ma"),
        ({'val_mask': torch.zeros(34).bool()}, ValueError, "'data.val_mask'"),
        ({'val_mask': torch.ones(30).bool()}, ValueError, r'shape \[34\]'),
        ({'val_mask': torch.ones(34)}, TypeError, "'data.val_mask' .*float32"),
        ({'val_mask': [True] * 34}, TypeError, "'data.val_mask' .*got list"),
        ({'val_mask': torch.tensor([34])}, ValueError, r'\[0, 33\], got'),
        ({'val_mask': torch.tensor([-1])}, ValueError, r'\[0, 33\], got'),
        ({'val_mask': torch.tensor([3, 3])}, ValueError, 'once, got 3'),
        ({'train_mask': None}, ValueError, "'data' must have 'train_mask'"),
        ({'val_mask': None}, ValueError, "'data' must have 'val_mask'"),
        ({'x': None}, ValueError, "'data' must have 'x'"),
        ({'y': None}, ValueError, "'data' must have 'y'"),
        ({'x': torch.full((34, 34), torch.nan)}, ValueError, 'finite'),
        ({'x': torch.ones(34, 34).long()}, TypeError, "'data.x' .*floating"),
        ({'y': torch.full((34,), -1)}, ValueError, "'y' .*negative .*got -1"),
        ({'y': torch.zeros(34)}, ValueError, "'y' must hold one int64"),
        ({'y': [0] * 34}, TypeError, "'data.y' must be a Tensor, got list"),
        ({'y': torch.arange(34)}, ValueError, "'y' .*below 4,.*got 3"),
    ],
)
def test_bad_data(change, error, message):
    data = karate()
    for model in (learner_of(data), FixedGraph(GCN(34, 8, 2, 4), GRAPH)):
        before = copy.deepcopy(model)
        with pytest.raises(error, match=message):
            fit(model, with_changes(karate(), **change), progress=False)
        assert states_equal(model, before)  # refused before any step


def test_one_output_is_not_enough():
    data = karate()
    data.y = (data.y > 1).long()
    prior = SmoothedPrior(data.edge_index, 34)
    for model in (
        FixedGraph(GCN(34, 8, 2, 1), data.edge_index),
        VariationalGraphLearner(
            GCN(34, 8, 2, 1), prior, posterior=FreePosterior()
        ),
    ):
        with pytest.raises(ValueError, match='two classes need two outputs'):
            fit(model, data, progress=False)


@pytest.mark.parametrize('dtype', [torch.int64, torch.int32])
def test_node_indices_are_masks(dtype):
    data = karate()
    learner = learner_of(data)
    expected = fit(learner, data, epochs=5, progress=False)
    for name in ('train_mask', 'val_mask'):
        nodes = data[name].nonzero().view(-1).flip(0)  # in any order
        data[name] = nodes.to(dtype)
    other = learner_of(data)
    assert fit(other, data, epochs=5, progress=False) == expected
    assert states_equal(learner, other)


NAN, INF = float('nan'), float('inf')
COUNTS = ('epochs', 'num_samples', 'patience', 'checkpoint_every')
RATES = ('lr', 'logit_lr', 'weight_decay')


@pytest.mark.parametrize(
    'names, values, error',
    [
        (COUNTS, [0.5, 2.0, True, '3', None], TypeError),
        (COUNTS, [0, -1], ValueError),
        (RATES, ['0.1', True, [0.1]], TypeError),
        (RATES, [NAN, INF, -0.1], ValueError),
        (('lr', 'logit_lr'), [0], ValueError),
        (('logit_optimizer',), ['SGD', 0.1], TypeError),
        (('checkpoint',), [3, True], TypeError),
        (('progress',), ['yes', None], TypeError),
        (('terms',), [None, 'abc', Consistency(4), [0.1]], TypeError),
        (('loader',), [[karate()]], TypeError),
    ],
)
def test_bad_settings(names, values, error):
    learner = learner_of(karate())
    before = copy.deepcopy(learner)
    for name in names:
        for value in values:
            with pytest.raises(error, match=f"'{name}' must be "):
                fit(learner, karate(), **{name: value})
    assert states_equal(learner, before)


def test_data_and_learner_must_be_on_one_device():
    data = karate()
    learner = learner_of(data).to('meta')
    with pytest.raises(ValueError, match="'data.x' is on cpu and .*on meta"):
        fit(learner, data, progress=False)
    learner = learner_of(data)
    learner.conv.to('meta')
    with pytest.raises(ValueError, match="'learner' must be on one device"):
        fit(learner, data, progress=False)


def test_a_learner_without_parameters_is_refused():
    data = karate()
    model = FixedGraph(SimpleConv(), data.edge_index)
    with pytest.raises(ValueError, match='no parameter that requires a grad'):
        fit(model, data, progress=False)


def test_modules_in_evaluation_mode_stay_in_it():
    data = karate()
    net = GCN(34, 8, 2, 4, norm='batch_norm')
    model = FixedGraph(net, data.edge_index)
    net.norms.eval()
    before = copy.deepcopy(net.norms[0].module.running_mean)
    fit(model, data, epochs=3, progress=False)
    assert torch.equal(net.norms[0].module.running_mean, before)
    # A whole model in evaluation mode, as now, is set to training mode:
    assert not any(module.training for module in model.modules())
    fit(model, data, epochs=3, progress=False)
    assert not torch.equal(net.norms[0].module.running_mean, before)


def test_a_loss_that_is_not_finite_stops_the_run_with_the_model_intact():
    data = karate()
    learner = learner_of(data)
    learner.posterior.offset.data.fill_(torch.inf)
    with pytest.raises(
        FloatingPointError, match='the loss became (nan|inf) in'
    ):
        fit(learner, data, progress=False)
    assert all(p.isfinite().all() for p in learner.conv.parameters())
