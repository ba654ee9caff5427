from collections import Counter
from itertools import combinations

import pytest
from processes import write

from torch_geometric_vgcn.partition.rounds import Rounds
from torch_geometric_vgcn.utils.ranks import Ranks


@pytest.fixture(scope='module', params=[(1, 2), (2, 2), (4, 1), (4, 3)])
def rounds(request, tmp_path_factory):
    shards, size = request.param
    folder = tmp_path_factory.mktemp('graph')
    graph = write(folder, num_parts=12, num_shards=shards)
    return Rounds(graph, size, seed=0)


def test_each_cluster_is_in_one_batch_per_epoch(rounds):
    for epoch in range(5):
        steps = rounds.steps(epoch)
        assert len(steps) == rounds.num_steps
        seen = [c for step in steps for slot in step for c in slot.clusters]
        assert sorted(seen) == list(range(12))
        for step in steps:
            shards = [slot.shard for slot in step]
            assert shards == list(range(rounds.graph.num_shards))
            for slot in step:
                assert len(slot.clusters) == rounds.batch_size
                assert slot.clusters == sorted(slot.clusters)
                home = [
                    rounds.graph.shard_of(c) == slot.shard
                    for c in slot.clusters
                ]
                assert sum(home) >= max(1, rounds.batch_size - 1)
    assert rounds.steps(0) == rounds.steps(0) != rounds.steps(1)


def test_pairs_count_as_often_as_they_should(rounds):
    r"""The number of meetings times the weight is one per epoch."""
    if rounds.batch_size == 1:
        assert rounds.between == (1.0, 1.0)
        return
    graph, epochs, meetings = rounds.graph, 1200, Counter()
    for epoch in range(epochs):
        for step in rounds.steps(epoch):
            for slot in step:
                meetings.update(combinations(slot.clusters, 2))
    for two_shards, weight in enumerate(rounds.between):
        counts = [
            meetings[pair]
            for pair in combinations(range(12), 2)
            if len({graph.shard_of(c) for c in pair}) == 1 + two_shards
        ]
        for count in counts:
            assert count * weight / epochs == pytest.approx(1.0, rel=0.5)
        if counts:
            mean = sum(counts) / len(counts)
            assert mean * weight / epochs == pytest.approx(1.0, rel=0.03)


@pytest.mark.parametrize('world', [1, 2, 3, 4])
def test_each_shard_has_one_owner(tmp_path, world):
    graph = write(tmp_path, num_shards=4)
    owned = [list(graph.shards_of(Ranks(r, world))) for r in range(world)]
    assert sum(owned, []) == [0, 1, 2, 3]
    for rank, shards in enumerate(owned):
        assert all(graph.owner_of(s, world) == rank for s in shards)
    with pytest.raises(ValueError, match='5 processes need a graph of at le'):
        graph.shards_of(Ranks(0, 5))


def test_batches_must_fill_a_shard(tmp_path):
    graph = write(tmp_path, num_shards=4)
    with pytest.raises(ValueError, match="'batch_size' must divide .*got 3"):
        Rounds(graph, 3, seed=0)
