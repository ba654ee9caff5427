import os
import signal
import subprocess
import sys

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)

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
    )


def test_fit_learns_and_keeps_the_best_state():
    data = karate()
    learner = learner_of(data)
    result = fit(learner, data, epochs=80, progress=False)
    assert result.val_acc > 0.6
    rows = result.history
    best = max(rows, key=lambda row: (row['val_acc'], -row['val_nll']))
    assert rows.index(best) == result.best_epoch
    assert rows[-1]['loss'] < rows[0]['loss']
    assert set(rows[0]) == {
        'bound', 'log_likelihood', 'kl', 'loss', 'val_acc', 'val_nll',
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
    learner.bound.beta = 0.0
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


def test_resume_is_bit_identical(tmp_path):
    data = karate()
    whole = learner_of(data)
    expected = fit(whole, data, **SETTINGS)

    class Cut(Exception):
        pass

    class CutOff(VariationalGraphLearner):
        steps = 0

        def objective(self, *args, **kwargs):
            self.steps += 1
            if self.steps == 18:
                raise Cut
            return super().objective(*args, **kwargs)

    first = learner_of(data)
    first.__class__ = CutOff
    path = tmp_path / 'run.pt'
    with pytest.raises(Cut):
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


def test_a_killed_run_goes_on_as_if_nothing_had_been(tmp_path):
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
    state['settings'] |= {'epochs': done + 10, 'patience': done + 10}
    torch.save(state, path)

    data = karate()
    settings = {'epochs': done + 10, 'patience': done + 10}
    resumed = learner_of(data, seed=9)
    result = fit(resumed, data, checkpoint=path, progress=False, **settings)
    whole = learner_of(data)
    assert result == fit(whole, data, progress=False, **settings)
    assert states_equal(resumed, whole)


def test_checkpoint_of_another_run_is_refused(tmp_path):
    data = karate()
    path = tmp_path / 'run.pt'
    fit(learner_of(data), data, checkpoint=path, **SETTINGS)
    with pytest.raises(ValueError, match="'checkpoint' .* was made with"):
        fit(learner_of(data), data, checkpoint=path, epochs=3, progress=False)
    kept = (data.edge_index != 5).all(dim=0)
    data.edge_index = data.edge_index[:, kept]
    with pytest.raises((RuntimeError, ValueError)):
        fit(learner_of(data), data, checkpoint=path, **SETTINGS)


@pytest.mark.parametrize(
    'change, message',
    [
        ({'train_mask': torch.zeros(34).bool()}, "'data.train_mask' selects"),
        ({'val_mask': torch.zeros(34).bool()}, "'data.val_mask' selects no"),
        ({'x': torch.full((34, 34), torch.nan)}, "'data.x' must be finite"),
    ],
)
def test_bad_data(change, message):
    data = karate()
    learner = learner_of(data)
    for name, value in change.items():
        data[name] = value
    with pytest.raises(ValueError, match=message):
        fit(learner, data, progress=False)


def test_bad_settings():
    data = karate()
    with pytest.raises(ValueError, match="'lr' must be positive, got 0"):
        fit(learner_of(data), data, lr=0)


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
        result = fit(learner, data, epochs=5, progress=False)
        losses.append([row['loss'] for row in result.history])
        changes.append(learner.posterior.offset.detach())
    assert losses[0][0] == losses[1][0]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    # SparseAdam adds its epsilon before it corrects the second moment, so
    # that logits with gradients as small as that move less:
    assert (changes[0] - changes[1]).abs().median() < 1e-4
    assert changes[1].abs().median() > 1e-3
