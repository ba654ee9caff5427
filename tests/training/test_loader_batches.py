import numpy as np
import pytest
import torch
from torch_geometric import seed_everything
from torch_geometric.datasets import KarateClub
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    AmortizedPosterior,
    ClassPosterior,
    ClusterPairs,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
    fit_batches,
    predict_batches,
)
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.training import optimizers
from torch_geometric_vgcn.training.loader_batches import batches_of
from torch_geometric_vgcn.utils.ranks import Ranks

SETTINGS = {'epochs': 12, 'patience': 12, 'progress': False}


def karate():
    data = KarateClub()[0]
    data.val_mask = ~data.train_mask & (torch.arange(34) % 2 == 0)
    return data, ClusterData(data, 4, log=False)


def learner_of(data, clusters, pairs=ClusterPairs, posterior=None, seed=0):
    seed_everything(seed)
    edge_index = data.edge_index
    if pairs is ClusterPairs:
        pairs = ClusterPairs(clusters.cluster)
        edge_index = edge_index[:, pairs.joins(edge_index)]
    else:
        pairs = Candidates(edge_index, data.num_nodes)
    return VariationalGraphLearner(
        GCN(data.num_features, 8, 2, int(data.y.max()) + 1, dropout=0.5),
        SmoothedPrior(edge_index, data.num_nodes, pairs=pairs),
        posterior or FreePosterior(sparse=True),
    )


def loader_of(clusters, batch_size=1):
    return ClusterLoader(clusters, batch_size=batch_size, shuffle=True)


@pytest.mark.parametrize('size', [1, 2])
@pytest.mark.parametrize('pairs', [ClusterPairs, Candidates])
def test_it_learns_network_and_graph(pairs, size):
    data, clusters = karate()
    learner = learner_of(data, clusters, pairs)
    result = fit(
        learner, data, loader_of(clusters, size), epochs=40, progress=False
    )
    likelihood = [row['log_likelihood'] for row in result.history]
    assert likelihood[-1] > 0.5 * likelihood[0]  # both are negative
    assert result.history[-1]['agreement'] < 0
    assert result.history[-1]['kl'] > 0
    assert not torch.equal(learner.edge_probs(), learner.prior.probs)


@pytest.mark.parametrize('pairs, size', [(ClusterPairs, 1), (Candidates, 3)])
def test_citeseer_in_batches(citeseer, pairs, size):
    # Each cluster has mostly one class or two, and is no sample of all:
    clusters = ClusterData(citeseer, 12, log=False)
    learner = learner_of(citeseer, clusters, pairs)
    result = fit(
        learner, citeseer, loader_of(clusters, size), epochs=9, progress=False
    )
    assert result.val_acc > 0.55


def test_a_posterior_of_both_kinds_of_parameters():
    data, clusters = karate()
    encoder = torch.nn.Linear(34, 4)
    posterior = FreePosterior(sparse=True) + AmortizedPosterior(encoder)
    learner = learner_of(data, clusters, posterior=posterior)
    weight = encoder.weight.detach().clone()
    fit(learner, data, loader_of(clusters), **SETTINGS)
    assert not torch.equal(weight, encoder.weight)
    assert (learner.posterior.terms[0].offset != 0).any()


def test_a_step_changes_only_what_the_batch_touched():
    data, clusters = karate()
    learner = learner_of(data, clusters)
    offset = learner.posterior.offset
    adam, sparse = optimizers(learner, 1, 0.01, 0.01, 0.0, torch.optim.Adam)
    seen = torch.zeros_like(offset).bool()
    for nodes in learner.prior.pairs.clusters():
        prior = learner.prior.subset(nodes)
        state = sparse.state[offset]
        before = [offset.detach().clone()]
        before += [state[k].clone() for k in ('exp_avg',) if k in state]
        for optimizer in (adam, sparse):
            optimizer.zero_grad()
        out = learner(data.x[nodes], num_samples=2, prior=prior)
        train = data.train_mask[nodes]
        learner.objective(out, data.y[nodes], train, 4).loss.backward()
        sparse.step()
        touched = torch.zeros_like(seen)
        touched[prior.pairs.position] = True
        after = [offset.detach(), sparse.state[offset]['exp_avg']]
        for old, new in zip(before, after, strict=False):
            assert torch.equal(old[~touched], new[~touched])
            assert (old[touched] != new[touched]).any()
        assert not (seen & touched).any()
        seen |= touched
    assert seen.all()


def test_prediction_by_clusters_is_that_at_once(tmp_path):
    data, clusters = karate()
    learner = learner_of(data, clusters)
    fit(learner, data, loader_of(clusters), **SETTINGS)
    noise = learner.noise(5)
    whole = learner.predict(data.x, noise=noise)
    batches = learner.prior.pairs.clusters()
    parts = predict_batches(learner, data.x, batches, noise=noise)
    assert torch.allclose(parts, whole, atol=1e-6)
    path = tmp_path / 'new' / 'prob.npy'
    mapped = predict_batches(learner, data.x, batches, noise=noise, out=path)
    assert torch.equal(mapped, parts)
    assert (np.load(path) == parts.numpy()).all()
    pairs_of_clusters = [
        torch.cat([batches[3], batches[0]]),
        torch.cat([batches[1], batches[2]]),
    ]
    parts = predict_batches(learner, data.x, pairs_of_clusters, noise=noise)
    assert torch.allclose(parts, whole, atol=1e-6)
    assert parts.sum(dim=1).allclose(torch.ones(34))
    for some in (batches[1:], [], [*batches, batches[0]]):
        with pytest.raises(
            ValueError, match="'batches' must hold each of .*4"
        ):
            predict_batches(learner, data.x, some)
    with pytest.raises(TypeError, match="'batches' must be a Tensor, got li"):
        predict_batches(learner, data.x, [[0, 1]])
    with pytest.raises(ValueError, match=r"'x' .*34 nodes, got shape \[33"):
        predict_batches(learner, data.x[1:], batches)


def test_noise_of_a_background_has_no_subset():
    data, clusters = karate()
    learner = learner_of(data, clusters, Candidates)
    with pytest.raises(ValueError, match='noise of background pairs'):
        batches = [torch.arange(34)]
        predict_batches(learner, data.x, batches, noise=learner.noise(2))


def test_batches_are_taken_from_the_data_that_are_given(same_state):
    data, clusters = karate()
    one = learner_of(data, clusters)
    expected = fit(one, data, loader_of(clusters), **SETTINGS)
    stale = data.clone()
    stale.x, stale.y = torch.zeros_like(data.x), torch.zeros_like(data.y)
    stale.train_mask = ~data.train_mask
    two = learner_of(data, clusters)
    parts = ClusterData(stale, 4, log=False)
    assert torch.equal(parts.cluster, clusters.cluster)
    result = fit(two, data, loader_of(parts), **SETTINGS)
    assert result == expected
    assert same_state(one, two)


@pytest.mark.parametrize('pairs', [ClusterPairs, Candidates])
def test_data_are_moved_to_the_device_of_the_learner(pairs):
    data, clusters = karate()
    learner, loader = learner_of(data, clusters, pairs), loader_of(clusters)
    batches = batches_of(learner, data, loader, Ranks())
    batches.device = torch.device('meta')
    batches.place(data)
    for value in (batches.y, batches.train, batches.val):
        assert value.device.type == 'meta'
    # Blocks of clusters validate one by one, and move only those rows:
    expected = 'cpu' if pairs is ClusterPairs else 'meta'
    assert batches.x.device.type == expected


@pytest.mark.parametrize('layout', [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize('pairs', [ClusterPairs, Candidates])
def test_sparse_features(pairs, layout):
    data, clusters = karate()
    one = learner_of(data, clusters, pairs)
    expected = fit(one, data, loader_of(clusters), **SETTINGS)
    data.x = data.x.to_sparse(layout=layout)
    two = learner_of(data, clusters, pairs)
    result = fit(two, data, loader_of(clusters), **SETTINGS)
    for got, want in zip(result.history, expected.history, strict=True):
        assert got['loss'] == pytest.approx(want['loss'], rel=1e-4)


def test_fit_batches_is_fit_with_its_own_defaults(same_state):
    data, clusters = karate()
    one = learner_of(data, clusters)
    expected = fit(one, data, loader_of(clusters), **SETTINGS)
    two = learner_of(data, clusters)
    with pytest.warns(DeprecationWarning, match='goes with 0.4'):
        result = fit_batches(two, data, loader_of(clusters), **SETTINGS)
    assert result == expected
    assert same_state(one, two)


def test_another_graph_is_refused():
    data, clusters = karate()
    smaller = data.subgraph(torch.arange(30))
    with pytest.raises(ValueError, match='of the same nodes, got 34, 30'):
        learner = learner_of(data, clusters)
        fit(learner, smaller, loader_of(clusters), **SETTINGS)


@pytest.mark.parametrize('together', [False, True])
def test_several_processes_have_no_class_posterior(together):
    data, clusters = karate()
    posterior = ClassPosterior(4)
    if together:
        posterior = FreePosterior(sparse=True) + posterior
    learner = learner_of(data, clusters, posterior=posterior)
    message = "'learner' must not have a ClassPosterior with 2 processes"
    with pytest.raises(ValueError, match=message):
        batches_of(learner, data, loader_of(clusters), Ranks(0, 2))
