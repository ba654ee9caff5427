import pickle

import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
    calibrate,
    evaluate,
    fit,
)

KINDS = pytest.mark.parametrize('kind', [VariationalGraphLearner, FixedGraph])


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data


def learner_of(data, kind=VariationalGraphLearner):
    seed_everything(0)
    net = GCN(34, 8, 2, 4, dropout=0.5)
    if kind is FixedGraph:
        return FixedGraph(net, data.edge_index)
    return VariationalGraphLearner(net, SmoothedPrior(data.edge_index, 34))


def predict(learner, x, seed=1):
    torch.manual_seed(seed)
    return learner.predict(x, num_samples=16)


def calibrated(learner, data, seed=1):
    torch.manual_seed(seed)
    return calibrate(learner, data)


@KINDS
def test_predictions_are_scaled(kind):
    data = karate()
    learner = learner_of(data, kind)
    fit(learner, data, epochs=30, progress=False)
    before = predict(learner, data.x)
    temperature = calibrated(learner, data)
    assert temperature != 1
    after = predict(learner, data.x)
    expected = before.double().pow(1 / temperature)
    expected = (expected / expected.sum(dim=-1, keepdim=True)).float()
    torch.testing.assert_close(after, expected, rtol=1e-4, atol=1e-6)
    assert torch.equal(after.argmax(dim=-1), before.argmax(dim=-1))
    nll = [evaluate(p, data.y, data.val_mask)[1] for p in (before, after)]
    assert nll[1] < nll[0]
    # Again, it is not scaled twice:
    assert calibrated(learner, data) == temperature
    assert torch.equal(predict(learner, data.x), after)


@KINDS
def test_the_temperature_goes_with_the_learner(kind):
    data = karate()
    learner, again = learner_of(data, kind), learner_of(data, kind)
    calibrated(learner, data)
    expected = predict(learner, data.x)
    again.load_state_dict(learner.state_dict())
    assert torch.equal(predict(again, data.x), expected)
    loaded = pickle.loads(pickle.dumps(learner))
    assert torch.equal(predict(loaded, data.x), expected)


@KINDS
def test_a_new_run_starts_without_one(kind):
    data = karate()
    results = []
    for temperature in (1.0, 3.0):
        learner = learner_of(data, kind)
        learner.likelihood.set_temperature(temperature)
        results.append(fit(learner, data, epochs=5, progress=False))
        assert learner.likelihood.temperature == 1
    assert results[0] == results[1]


@pytest.mark.parametrize('dtype', [torch.half, torch.double])
@KINDS
def test_other_precisions(kind, dtype):
    data = karate()
    expected = calibrated(learner_of(data, kind), data)
    learner = learner_of(data, kind).to(dtype)
    data.x = data.x.to(dtype)
    rel = 5e-2 if dtype == torch.double else 0.3
    assert calibrated(learner, data) == pytest.approx(expected, rel=rel)
    prob = predict(learner, data.x)
    assert prob.dtype == dtype and prob.isfinite().all()


@pytest.mark.parametrize(
    'change, message',
    [
        ({'x': None}, "'data' must have 'x'"),
        ({'y': None}, "'data' must have 'y'"),
        ({'val_mask': None}, "'data' must have 'val_mask'"),
        ({'val_mask': torch.zeros(34).bool()}, "'data.val_mask' selects no"),
        ({'x': torch.full((34, 34), torch.nan)}, "'x' must be finite"),
        ({'y': torch.full((34,), 7)}, "'y' must hold classes below 4"),
    ],
)
def test_an_error_changes_nothing(change, message):
    data = karate()
    learner = learner_of(data)
    learner.likelihood.set_temperature(3.0)
    for name, value in change.items():
        data[name] = value
    with pytest.raises(ValueError, match=message):
        calibrate(learner, data)
    assert learner.likelihood.temperature == 3
