r"""A batch is the subset of the whole graph's prior."""

import numpy as np
import pytest
import torch
from processes import SETTINGS, karate, learner_of, write
from test_write import arguments

from torch_geometric_vgcn import ClusterPairs, SmoothedPrior
from torch_geometric_vgcn.partition import (
    PartitionedLearner,
    partition_graph,
)
from torch_geometric_vgcn.training import fit_partitioned, predict_partitioned


def whole_prior(dense):
    data, pairs = karate(), None
    edge_index = data.edge_index
    if dense:
        pairs = ClusterPairs(torch.arange(34) % 8)
        edge_index = edge_index[:, pairs.joins(edge_index)]
    return SmoothedPrior(edge_index, 34, pairs=pairs)


@pytest.mark.parametrize('dense', [True, False])
@pytest.mark.parametrize('clusters', [[3], [0, 1], [1, 4, 6]])
def test_a_batch_is_a_subset(tmp_path, dense, clusters):
    data, graph = karate(), write(tmp_path, dense)
    learner = learner_of(graph)
    batch = learner.batch(clusters)
    node = torch.cat([graph.cluster(c).node for c in clusters])
    want = whole_prior(dense).subset(node)
    assert type(batch.prior.pairs) is type(want.pairs)
    assert torch.equal(batch.prior.pairs.index, want.pairs.index)
    assert torch.allclose(batch.prior.logits, want.logits)
    assert batch.prior.background == want.background
    assert torch.equal(batch.x, data.x[node])
    assert torch.equal(batch.y, data.y[node])
    train = data.train_mask[node].nonzero().view(-1)
    assert torch.equal(batch.nodes, train)
    assert torch.equal(learner.posterior(batch.prior), batch.prior.logits)


@pytest.mark.parametrize('dense', [True, False])
def test_a_batch_brings_its_own_logits(tmp_path, dense):
    r"""Each pair has the logit of its place, in any batch."""
    graph = write(tmp_path, dense)
    learner = learner_of(graph)
    with torch.no_grad():
        for offset in learner.posterior.offset.values():
            offset.uniform_(-1, 1)
    found = learner.learned_graph(threshold=0.0)
    prob = dict(
        zip(
            map(tuple, found.edge_index.t().tolist()),
            found.edge_prob.tolist(),
            strict=True,
        )
    )
    assert len(prob) == 2 * graph.num_pairs
    for clusters in ([0, 2, 5], [1], [3, 7]):
        batch = learner.batch(clusters)
        node = torch.cat([graph.cluster(c).node for c in clusters])
        index = node[batch.prior.pairs.index].t().tolist()
        got = learner.edge_probs(prior=batch.prior).tolist()
        want = [prob[tuple(pair)] for pair in index]
        assert got == pytest.approx(want)


def test_weights_of_pairs_between_clusters(tmp_path):
    graph = write(tmp_path)
    batch = learner_of(graph).batch([0, 1, 2], between=(3.0, 5.0))
    label = torch.cat(
        [torch.full_like(graph.cluster(c).node, c) for c in (0, 1, 2)]
    )
    row, col = label[batch.prior.pairs.index]
    want = torch.ones_like(batch.prior.logits)
    want[(row == 0) & (col == 1)] = 3.0  # two clusters of the first shard
    want[(row < 2) & (col == 2)] = 5.0
    assert torch.equal(batch.weight, want)


def test_it_learns_network_and_graph(tmp_path):
    learner = learner_of(write(tmp_path))
    result = fit_partitioned(learner, batch_size=2, epochs=25, **SETTINGS)
    assert result.history[-1]['loss'] < 0.8 * result.history[0]['loss']
    offset = torch.cat(list(learner.posterior.offset.values()))
    assert (offset != 0).float().mean() > 0.5


def test_sparse_features(tmp_path):
    data = karate()
    runs = []
    for x in (data.x, data.x.to_sparse()):
        graph = partition_graph(
            tmp_path / str(x.layout), **arguments(x=x, num_shards=2)
        )
        learner = learner_of(graph)
        runs.append(
            fit_partitioned(learner, batch_size=2, epochs=5, **SETTINGS)
        )
    for one, two in zip(runs[0].history, runs[1].history, strict=True):
        assert one['loss'] == pytest.approx(two['loss'], rel=1e-3)


def test_predictions_of_each_node(tmp_path):
    learner = learner_of(write(tmp_path / 'graph', dense=True))
    torch.manual_seed(0)
    node, prob = predict_partitioned(learner)
    assert torch.equal(node.sort().values, torch.arange(34))
    assert prob.sum(dim=1).allclose(torch.ones(34))
    torch.manual_seed(0)
    path = tmp_path / 'folder' / 'prob.npy'
    every, mapped = predict_partitioned(learner, out=path)
    assert torch.equal(every, torch.arange(34))
    assert torch.equal(mapped[node], prob)


def test_shards_of_the_learned_graph(tmp_path):
    learner = learner_of(write(tmp_path / 'graph'))
    whole = learner.learned_graph(0.2)
    empty = learner.learned_graph(0.2, folder=tmp_path / 'edges')
    assert empty.num_edges == 0
    parts = [
        np.load(tmp_path / 'edges' / f'edge_index-{c:06d}.npy')
        for c in range(8)
    ]
    index = torch.from_numpy(np.concatenate(parts, axis=1))
    assert torch.equal(index, whole.edge_index[:, : index.size(1)])
    assert learner.learned_graph(0.3).num_edges == 0


def test_there_is_no_whole_graph(tmp_path):
    graph = write(tmp_path)
    learner = learner_of(graph)
    x = karate().x
    for call in (
        lambda: learner(x),
        lambda: learner.predict(x),
        lambda: learner.prior.subset(torch.arange(3)),
        lambda: learner.prior.pairs.index,
    ):
        with pytest.raises(ValueError, match='on disk|no graph of all nodes'):
            call()
    with pytest.raises(TypeError, match="'prior' must be a BatchPrior"):
        learner.posterior(whole_prior(False))
    with pytest.raises(TypeError, match="'graph' must be a PartitionedGraph"):
        PartitionedLearner(learner.conv, tmp_path)
    with pytest.raises(TypeError, match="'learner' must be a Partitioned"):
        fit_partitioned(learner.conv)
    with pytest.raises(TypeError, match="'learner' must be a Partitioned"):
        predict_partitioned(learner.conv)
