from itertools import permutations

import pytest
import torch
import torch_geometric.loader
from torch.utils.data import RandomSampler, SubsetRandomSampler
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN

from torch_geometric_vgcn import (
    ELBO,
    ClusterPairs,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
)
from torch_geometric_vgcn.loader import PairWeight, SampledPairWeight
from torch_geometric_vgcn.objective import IWELBO, BernoulliKL
from torch_geometric_vgcn.sample import Noise


def learner_of(data, prior, objective):
    learner = VariationalGraphLearner(
        GCN(34, 8, 2, 4), prior, objective=objective, posterior=FreePosterior()
    ).eval()
    learner.posterior.offset.data.normal_()
    return learner


def bound_of(learner, data, noise, n_id=None, weight=None):
    r"""The bound of a batch, or of all."""
    prior = learner.prior
    if n_id is None:
        n_id = torch.arange(34)
    else:
        prior = prior.subset(n_id)
        noise = noise.subset(prior.pairs)
    out = learner(data.x[n_id], noise=noise, prior=prior)
    train = data.train_mask[n_id]
    scale = 1.0 if weight is None else weight(prior)
    count = int(train.sum())
    return learner.objective(out, data.y[n_id], train, count, scale)


def grad(value, learner):
    return torch.autograd.grad(value, learner.posterior.offset)[0]


@pytest.mark.parametrize('kl', [BernoulliKL(), LogisticKL(0.3)])
@pytest.mark.parametrize('size, between', [(2, 3.0), (3, 2.0)])
def test_the_mean_divergence_over_all_epochs_is_the_whole(
    karate, clusters, kl, size, between
):
    prior = SmoothedPrior(karate.edge_index, 34)
    learner = learner_of(karate, prior, ELBO(kl))
    loader = ClusterLoader(clusters, batch_size=size, shuffle=True)
    weight = PairWeight(loader)
    assert weight.between == between
    noise = Noise(learner.noise(2).logistic)
    orders = list(permutations(range(4)))
    mean = 0
    for order in orders:
        for start in range(0, 4, size):
            batch = loader.collate_fn(order[start : start + size])
            part = bound_of(learner, karate, noise, batch.n_id, weight)
            mean = mean + part.kl / len(orders)
    whole = bound_of(learner, karate, noise).kl
    assert torch.allclose(mean, whole, rtol=1e-5)
    got, want = grad(mean, learner), grad(whole, learner)
    assert torch.allclose(got, want, atol=1e-4)
    # Without the weights some would be missing:
    row, col = clusters.cluster[prior.pairs.index]
    assert (row != col).sum() > 10


@pytest.mark.parametrize('size', [1, 2])
@pytest.mark.parametrize(
    'objective, samples',
    [
        (ELBO(BernoulliKL()), 3),
        (ELBO(LogisticKL(), beta=1.0), 3),
        (IWELBO(LogisticKL(), beta=1.0), 1),
    ],
)
def test_clusters_alone_add_up_to_the_bound_of_all(
    karate, clusters, objective, samples, size
):
    pairs = ClusterPairs(clusters.cluster)
    edge_index = karate.edge_index[:, pairs.joins(karate.edge_index)]
    prior = SmoothedPrior(edge_index, 34, pairs=pairs)
    learner = learner_of(karate, prior, objective)
    noise = learner.noise(samples)
    loader = ClusterLoader(clusters, batch_size=size, shuffle=True)
    weight = PairWeight(loader)
    labels, total = [], 0
    for batch in loader:
        part = bound_of(learner, karate, noise, batch.n_id, weight)
        total = total + torch.stack(part[:3])
        labels.append(int(batch.train_mask.sum()))
    whole = torch.stack(bound_of(learner, karate, noise)[:3])
    assert torch.allclose(total, whole, rtol=1e-5)
    got, want = grad(total[0], learner), grad(whole[0], learner)
    assert torch.allclose(got, want, atol=1e-5)
    assert sum(labels) == 4


@pytest.mark.parametrize('objective', [ELBO, IWELBO])
def test_a_batch_without_labels_has_its_divergence(karate, objective):
    prior = SmoothedPrior(karate.edge_index, 34)
    learner = learner_of(karate, prior, objective(LogisticKL(), beta=0.5))
    n_id = (~karate.train_mask).nonzero().view(-1)
    noise = Noise(learner.noise(2).logistic)
    part = bound_of(learner, karate, noise, n_id)
    assert part.log_likelihood == 0 and part.kl > 0
    assert torch.allclose(part.bound, -0.5 * part.kl)
    with pytest.raises(ValueError, match="'mask' selects no node"):
        out = learner(karate.x)
        learner.objective(out, karate.y, torch.zeros(34).bool())


def test_batches_that_stay_the_same_count_their_pairs_once(karate, clusters):
    prior = SmoothedPrior(karate.edge_index, 34)
    fixed = PairWeight(ClusterLoader(clusters, batch_size=2))
    assert fixed(prior.subset(torch.arange(20))) == 1.0
    alone = PairWeight(ClusterLoader(clusters, batch_size=1, shuffle=True))
    assert alone(prior.subset(torch.arange(20))) == 1.0
    # Of three clusters, one stays alone: each two meet every third time.
    some = SubsetRandomSampler([0, 1, 3])
    own = PairWeight(ClusterLoader(clusters, batch_size=2, sampler=some))
    assert own.between == 3 * 2 / 2


def test_loaders_that_leave_clusters_out_are_refused(karate, clusters):
    stock = torch_geometric.loader.ClusterData.__new__(
        torch_geometric.loader.ClusterData
    )
    stock.partition = clusters.partition
    with pytest.raises(TypeError, match="'loader' must be a ClusterLoader"):
        PairWeight(ClusterLoader(stock))
    twice = RandomSampler(range(4), replacement=True)
    for kwargs in ({'drop_last': True}, {'sampler': twice}):
        with pytest.raises(ValueError, match='in one batch per epoch'):
            PairWeight(ClusterLoader(clusters, batch_size=3, **kwargs))


def test_what_is_no_prior_of_these_nodes_is_refused(clusters):
    weight = PairWeight(ClusterLoader(clusters, batch_size=2, shuffle=True))
    with pytest.raises(TypeError, match="'prior' must be a Prior"):
        weight(None)
    index = torch.tensor([[0, 50], [50, 60]])
    prior = SmoothedPrior(index, 99).subset(torch.tensor([0, 50, 60]))
    with pytest.raises(ValueError, match="'prior' must be a subset.*node 60"):
        weight(prior)


def test_a_sampled_pair_counts_once_per_epoch(graph):
    # Pairs 0-1 in each of the two batches, 0-2 and 1-2 in the second only:
    prior = SmoothedPrior(graph, 6)
    weight, total = SampledPairWeight(prior, num_batches=2), torch.zeros(7)
    for epoch in range(1, 4):
        for nodes in ([0, 1], [0, 1, 2]):
            part = prior.subset(torch.tensor(nodes))
            total[part.pairs.position] += weight(part)
        assert total.tolist() == [epoch] * 3 + [0] * 4


def test_a_pair_that_is_sampled_at_random_counts_once_per_epoch(graph):
    prior = SmoothedPrior(graph, 6)
    weight, total = SampledPairWeight(prior, num_batches=5), torch.zeros(7)
    for _ in range(4000):
        part = prior.subset(torch.randperm(6)[:3])
        total[part.pairs.position] += weight(part)
    assert (total / 800 - 1).abs().max() < 0.05


def test_the_weight_of_sampled_pairs_is_resumed(graph):
    prior = SmoothedPrior(graph, 6)
    first = SampledPairWeight(prior, 3)
    for _ in range(5):
        first(prior.subset(torch.randperm(6)[:4]))
    second = SampledPairWeight(prior, 3)
    second.load_state_dict(first.state_dict())
    part = prior.subset(torch.arange(4))
    assert torch.equal(first(part), second(part))
    assert str(first) == 'SampledPairWeight(num_batches=3)'
    with pytest.raises(TypeError, match="'prior' must be a Prior, got int"):
        first(3)
    with pytest.raises(ValueError, match="'num_batches' .*at least 1, got 0"):
        SampledPairWeight(prior, 0)
