"""Regression and several labels per node, in all that trains or predicts."""

import pickle

import pytest
import torch
from sklearn.datasets import load_diabetes, load_digits
from sklearn.preprocessing import scale
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN, GraphSAGE
from torch_geometric.utils import degree, index_to_mask

from torch_geometric_vgcn import (
    ClusterPairs,
    FixedGraph,
    Gaussian,
    MultiLabel,
    SmoothedPrior,
    VariationalGraphLearner,
    calibrate,
    evaluate,
    fit,
    predict_batches,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.nearest import Minkowski
from torch_geometric_vgcn.objective import (
    Consistency,
    GaussianPrediction,
)
from torch_geometric_vgcn.training import optimizers
from torch_geometric_vgcn.transforms import KNNGraph

NAN = float('nan')
SETTINGS = {'epochs': 8, 'patience': 8, 'progress': False}
BATCHED = pytest.mark.parametrize('batched', [False, True])


def karate(likelihood):
    r"""How many friends members have, and to which side they belong."""
    data = KarateClub()[0]
    data.train_mask = torch.arange(34) % 2 == 0
    data.val_mask = ~data.train_mask & (torch.arange(34) % 3 == 0)
    friends = degree(data.edge_index[0], 34)
    if isinstance(likelihood, MultiLabel):
        data.y = torch.stack([friends > 3, data.y % 2 == 0], dim=1).float()
        data.y[4, 0] = NAN
    elif likelihood.num_targets is None:
        data.y = (friends - friends.mean()) / friends.std()
    else:
        data.y = torch.stack([friends / 5 - 1, data.y / 2 - 1], dim=1)
        data.y[4, 0] = NAN
    return data


KINDS = pytest.mark.parametrize(
    'kind',
    [Gaussian, lambda: Gaussian(2), MultiLabel],
    ids=['Gaussian', 'Gaussian of two', 'MultiLabel'],
)


def learner_of(likelihood, data, posterior=None, seed=0):
    seed_everything(seed)
    net = GCN(34, 8, 2, data.y[0].numel(), dropout=0.5)
    prior = SmoothedPrior(data.edge_index, 34)
    return VariationalGraphLearner(
        net, prior, posterior, likelihood=likelihood
    )


def train(batched, learner, data, **options):
    batches = ()
    if batched:
        clusters = ClusterData(data, 4, log=False)
        batches = (ClusterLoader(clusters, batch_size=2, shuffle=True),)
    return fit(learner, data, *batches, **{**SETTINGS, **options})


@BATCHED
@KINDS
def test_the_best_epoch_has_the_best_score(batched, kind):
    likelihood = kind()
    data = karate(likelihood)
    learner = learner_of(likelihood, data)
    result = train(batched, learner, data)
    assert result.score == likelihood.score
    rows = [
        (row[f'val_{likelihood.score}'], -row['val_nll'])
        for row in result.history
    ]
    best = max(range(len(rows)), key=rows.__getitem__)
    assert result.best_epoch == best
    assert (result.val_score, -result.val_nll) == rows[best]
    assert 'val_acc' not in result.history[0]
    with pytest.raises(AttributeError, match="use 'val_score'"):
        result.val_acc  # noqa: B018


def test_another_likelihood_is_another_run(tmp_path):
    options = {'checkpoint': tmp_path / 'run.pt', 'epochs': 2}
    data = karate(Gaussian())
    train(False, learner_of(Gaussian(), data), data, **options)
    data.y = data.y.unsqueeze(-1)
    message = r'likelihood\.num_targets is None there, 1 here'
    with pytest.raises(ValueError, match=f'of another run: .*{message}'):
        train(False, learner_of(Gaussian(1), data), data, **options)
    data.y = (data.y > 0).float()
    message = r'likelihood is .*Gaussian there, .*MultiLabel here'
    with pytest.raises(ValueError, match=f'of another run: .*{message}'):
        train(False, learner_of(MultiLabel(), data), data, **options)


@KINDS
def test_calibration_finds_the_best_temperature(kind):
    likelihood = kind()
    data = karate(likelihood)
    learner = learner_of(likelihood, data)
    fit(learner, data, **{**SETTINGS, 'epochs': 30})
    noise = learner.noise(16)
    before = learner.predict(data.x, noise=noise)
    temperature = calibrate(learner, data)
    assert temperature != 1 and likelihood.temperature == temperature
    after = learner.predict(data.x, noise=noise)
    if isinstance(likelihood, MultiLabel):
        assert torch.equal(after > 0.5, before > 0.5)
    else:
        assert torch.equal(after.mean, before.mean)
        ratio = after.variance / before.variance
        assert torch.allclose(ratio, torch.tensor(temperature))
    nll = [
        evaluate(some, data.y, data.val_mask, likelihood)[1]
        for some in (before, after)
    ]
    assert nll[1] < nll[0]


@KINDS
def test_batches_are_predicted_as_the_whole_is(kind):
    likelihood = kind()
    data = karate(likelihood)
    pairs = ClusterPairs(torch.arange(34) % 3)
    inside = data.edge_index[:, pairs.joins(data.edge_index)]
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, data.y[0].numel()),
        SmoothedPrior(inside, 34, pairs=pairs),
        likelihood=likelihood,
    )
    noise = learner.noise(4)
    whole = learner.predict(data.x, noise=noise)
    parts = predict_batches(learner, data.x, pairs.clusters(), noise=noise)
    assert type(parts) is type(whole)
    torch.testing.assert_close(parts, whole)


@KINDS
def test_a_fixed_graph_is_trained_in_the_same_calls(kind):
    likelihood = kind()
    data = karate(likelihood)
    seed_everything(0)
    net = GCN(34, 8, 2, data.y[0].numel(), dropout=0.5)
    model = FixedGraph(net, data.edge_index, likelihood)
    result = fit(model, data, **SETTINGS)
    assert result.score == likelihood.score
    score, nll = evaluate(
        model.predict(data.x), data.y, data.val_mask, likelihood
    )
    assert (score, nll) == pytest.approx((result.val_score, result.val_nll))
    assert calibrate(model, data) > 0


@KINDS
def test_a_learner_can_be_pickled(kind):
    likelihood = kind()
    data = karate(likelihood)
    learner = learner_of(likelihood, data)
    noise = learner.noise(2)
    again = pickle.loads(pickle.dumps(learner))
    torch.testing.assert_close(
        again.predict(data.x, noise=noise),
        learner.predict(data.x, noise=noise),
    )


def test_the_noise_is_learned_without_a_penalty():
    data = karate(Gaussian())
    learner = learner_of(Gaussian(), data)
    weights, _ = optimizers(learner, 1, weight_decay=0.1)
    first, second = weights.param_groups
    assert (first['weight_decay'], second['weight_decay']) == (0.1, 0)
    assert second['params'] == [learner.likelihood.log_variance]
    fit(learner, data, **SETTINGS)
    assert learner.likelihood.variance != 1
    learner.reset_parameters()
    assert learner.likelihood.variance == 1


# What needs classes


@KINDS
def test_terms_need_classes(kind):
    likelihood = kind()
    data = karate(likelihood)
    learner = learner_of(likelihood, data)
    message = rf"'terms' \(Consistency\) .*got .*{type(likelihood).__name__}"
    with pytest.raises(ValueError, match=message):
        fit(learner, data, terms=[Consistency(2)])
    data.y = torch.full_like(data.y, NAN)
    message = "each node that 'data.train_mask' selects, got 17 nodes"
    with pytest.raises(ValueError, match=message):
        fit(learner, data)


# Real data


def split(num_nodes, *sizes):
    r"""Boolean masks of random nodes; the last has all that are left."""
    nodes = torch.randperm(num_nodes)
    sizes = [*sizes, num_nodes - sum(sizes)]
    return [index_to_mask(some, num_nodes) for some in nodes.split(sizes)]


def test_regression_on_diabetes():
    seed_everything(0)
    x, y = load_diabetes(return_X_y=True)
    x, y = torch.from_numpy(scale(x)).float(), torch.from_numpy(y).float()
    train_mask, val_mask, test_mask = split(442, 200, 100)
    y = (y - y[train_mask].mean()) / y[train_mask].std()
    data = Data(x=x, y=y, train_mask=train_mask, val_mask=val_mask)
    data = KNNGraph(k=10, metric=Minkowski(2))(data)
    learner = VariationalGraphLearner(
        GraphSAGE(10, 16, 2, 1, dropout=0.2),
        SmoothedPrior(data.edge_index, 442),
        likelihood=Gaussian(),
    )
    result = fit(learner, data, epochs=40, lr=0.02, progress=False)
    calibrate(learner, data)
    mean, variance = prediction = learner.predict(data.x)
    score, nll = evaluate(prediction, y, test_mask, learner.likelihood)
    assert result.val_score > 0.3 and score > 0.3  # the mean has 0
    mean_alone = GaussianPrediction(torch.zeros(442), torch.ones(442))
    assert nll < evaluate(mean_alone, y, test_mask, Gaussian())[1] - 0.1
    inside = (y - mean).abs() < 1.96 * variance.sqrt()
    assert 0.88 < inside[test_mask].float().mean() < 0.99


def test_several_labels_of_digits():
    seed_everything(0)
    x, digit = load_digits(return_X_y=True)
    x, digit = torch.from_numpy(x / 16).float(), torch.from_numpy(digit)
    prime = torch.isin(digit, torch.tensor([2, 3, 5, 7]))
    truth = torch.stack([digit % 2 == 0, digit > 4, prime], dim=1).float()
    unknown = torch.rand(truth.shape) < 0.1
    unknown[:, 0] = False  # one label of each node is known
    y = truth.masked_fill(unknown, NAN)
    train_mask, val_mask, test_mask = split(len(x), 200, 200)
    data = Data(x=x, y=y, train_mask=train_mask, val_mask=val_mask)
    data = KNNGraph(k=10)(data)
    learner = VariationalGraphLearner(
        GCN(64, 32, 2, 3),
        SmoothedPrior(data.edge_index, len(x), rho1=0.5),
        likelihood=MultiLabel(),
    )
    fit(learner, data, epochs=40, lr=0.03, progress=False)
    prob = learner.predict(data.x)
    score, _ = evaluate(prob, truth, test_mask, learner.likelihood)
    assert score > 0.9  # all labels everywhere have 0.63
