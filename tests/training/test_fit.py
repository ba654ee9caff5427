import copy
import os
import signal
import subprocess
import sys

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.data import HeteroData
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
SETTINGS = {'epochs': 30, 'patience': 30, 'progress': False}


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


def test_fixed_graph_in_the_same_call():
    data = karate()
    seed_everything(0)
    model = FixedGraph(GCN(34, 8, 2, 4), data.edge_index)
    result = fit(model, data, epochs=50, progress=False)
    assert result.val_acc > 0.6 and result.history[-1]['kl'] == 0


def test_patience_stops_early():
    data = karate()
    learner = learner_of(data)
    result = fit(learner, data, epochs=500, patience=3, progress=False)
    assert len(result.history) == result.best_epoch + 4


def test_weights_decay_and_logits_do_not():
    data = karate()
    learner = learner_of(data)
    learner.criterion.beta = 0.0
    for parameter in learner.parameters():
        parameter.register_hook(torch.zeros_like)
    before = learner.conv.convs[0].lin.weight.detach().clone()
    learner.posterior.offset.data += 1
    fit(learner, data, epochs=1, weight_decay=0.1, progress=False)
    assert (learner.posterior.offset == 1).all()
    weight = learner.conv.convs[0].lin.weight
    assert weight.abs().sum() < before.abs().sum()


def states_equal(first, second):
    first, second = first.state_dict(), second.state_dict()
    return all(
        torch.equal(first[name], second[name])
        for name in first
        if isinstance(first[name], torch.Tensor)
    )


def test_resume_is_bit_identical(tmp_path, interrupted):
    data = karate()
    whole = learner_of(data)
    expected = fit(whole, data, **SETTINGS)

    path = tmp_path / 'run.pt'
    first = learner_of(data)
    with interrupted(first, steps=17):
        fit(first, data, checkpoint=path, checkpoint_every=5, **SETTINGS)
    second = learner_of(data, seed=123)
    result = fit(second, data, checkpoint=path, **SETTINGS)
    assert result == expected
    assert states_equal(whole, second)
    # The finished run answers at once, with the same.
    third = learner_of(data, seed=5)
    assert fit(third, data, checkpoint=path, **SETTINGS) == expected
    assert states_equal(whole, third)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_fit import *
data = karate()
fit(learner_of(data), data, checkpoint=sys.argv[2], checkpoint_every=2,
    epochs=100_000, patience=100_000, progress=False)
"""


def test_a_killed_run_resumes_to_a_bit_identical_result(tmp_path):
    path = tmp_path / 'run.pt'
    process = subprocess.Popen(
        [sys.executable, '-c', SCRIPT, os.path.dirname(__file__), str(path)]
    )
    while not path.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    state = torch.load(path, weights_only=True)
    done = len(state['result']['history'])

    data = karate()
    settings = {'epochs': done + 10, 'patience': 100_000}
    resumed = learner_of(data, seed=9)
    result = fit(resumed, data, checkpoint=path, progress=False, **settings)
    whole = learner_of(data)
    assert result == fit(whole, data, progress=False, **settings)
    assert states_equal(resumed, whole)


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


def test_only_one_homogeneous_graph():
    with pytest.raises(TypeError, match='one type of nodes.*HeteroData'):
        fit(learner_of(karate()), HeteroData(), progress=False)
    with pytest.raises(TypeError, match="'learner' must be .*got GCN"):
        fit(GCN(34, 8, 2, 4), karate(), progress=False)


def test_a_validation_class_without_an_output_is_refused_at_once():
    data = karate()
    data.y = data.y.masked_fill(data.val_mask, 7)
    learner = learner_of(data)
    before = copy.deepcopy(learner)
    with pytest.raises(ValueError, match="'y' .*below 4,.*got 7"):
        fit(learner, data, progress=False)
    assert states_equal(learner, before)


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


def test_node_indices_train_on_those_nodes():
    data = karate()
    data.train_mask = torch.tensor([30, 31, 32])
    y = data.y
    data.y = torch.full_like(y, -1)  # any other node would be refused
    chosen = torch.cat([data.train_mask, data.val_mask.nonzero().view(-1)])
    data.y[chosen] = y[chosen]
    result = fit(learner_of(data), data, epochs=2, progress=False)
    assert len(result.history) == 2


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


def test_lazy_parameters_are_initialised_first(tmp_path):
    data = karate()
    runs = []
    for path in (None, tmp_path / 'run.pt', tmp_path / 'run.pt'):
        seed_everything(len(runs) // 2)  # the third one resumes
        model = FixedGraph(GCN(-1, 16, 2, 4), data.edge_index)
        result = fit(model, data, checkpoint=path, **SETTINGS)
        runs.append((result, model))
    assert runs[0][0] == runs[1][0] == runs[2][0]
    assert states_equal(runs[0][1], runs[1][1])
    assert states_equal(runs[0][1], runs[2][1])
    assert runs[0][0].history[-1]['loss'] < runs[0][0].history[0]['loss']


def test_a_loss_that_is_not_finite_stops_the_run_with_the_model_intact():
    data = karate()
    learner = learner_of(data)
    learner.posterior.offset.data.fill_(torch.inf)
    with pytest.raises(
        FloatingPointError, match='the loss became (nan|inf) in'
    ):
        fit(learner, data, progress=False)
    assert all(p.isfinite().all() for p in learner.conv.parameters())


def test_logits_with_sparse_gradients_learn_as_others_do():
    data = karate()
    losses, changes = [], []
    for sparse in (False, True):
        seed_everything(0)
        learner = VariationalGraphLearner(
            GCN(34, 8, 2, 4, dropout=0.5),
            SmoothedPrior(data.edge_index, data.num_nodes),
            FreePosterior(sparse=sparse),
        )
        adam = torch.optim.Adam
        result = fit(
            learner, data, epochs=5, logit_optimizer=adam, progress=False
        )
        losses.append([row['loss'] for row in result.history])
        changes.append(learner.posterior.offset.detach())
    assert losses[0][0] == losses[1][0]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    # SparseAdam adds its epsilon before it corrects the second moment, so
    # that logits with gradients as small as that move less:
    assert (changes[0] - changes[1]).abs().median() < 1e-4
    assert changes[1].abs().median() > 1e-3
