from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from torch_geometric_vgcn.partition.learner import PartitionedLearner
from torch_geometric_vgcn.partition.rounds import Rounds
from torch_geometric_vgcn.partition.seeded import drawn_seed, seeded
from torch_geometric_vgcn.training.memory_map import WholeRows
from torch_geometric_vgcn.utils import check_count, check_kind, check_path


def predict_partitioned(
    learner: PartitionedLearner,
    *,
    batch_size: int = 1,
    num_samples: int = 16,
    out: str | Path | None = None,
) -> tuple[Tensor, Tensor]:
    r"""The predictive class probabilities of the nodes of this process's
    clusters, batch by batch. Each process predicts its own.

    The result is that of one process. Nodes see their neighbours in the same
    batch: all of them if the graph is :obj:`dense`, and else, as in
    Cluster-GCN, the more the more clusters a batch has. Where the partition
    cuts many edges, few clusters per batch cost accuracy, unlike with
    :func:`predict_batches`: take as many as memory allows.

    Args:
        learner (PartitionedLearner): The learner to predict with.
        batch_size (int, optional): The number of clusters per batch.
            (default: :obj:`1`)
        num_samples (int, optional): The number of graphs.
            (default: :obj:`16`)
        out (str or Path, optional): An :obj:`.npy` file for the probabilities
            of all nodes, :obj:`[N, C]`, that all processes write to. It isn't
            held in memory. (default: :obj:`None`)

    Returns:
        The ids of the nodes, and their probabilities :obj:`[n, C]`; with
        :obj:`out`, the ids of all nodes and the memory map of the file.
    """
    check_kind(learner, PartitionedLearner, 'learner')
    batch_size = check_count(batch_size, 'batch_size', least=1)
    check_count(num_samples, 'num_samples', least=1)
    path = None if out is None else check_path(out, 'out')
    graph, ranks = learner.graph, learner.ranks
    if path is not None and graph.holds(path):
        raise ValueError(f"'out' must be no file of the graph, got {path}")
    first, _ = ranks.from_first(lambda: (drawn_seed(), 0.0))
    rounds = Rounds(graph, batch_size, int(first))

    def predictions() -> Iterator[tuple[Tensor, Tensor]]:
        for shard in learner.shards:
            for number, slot in enumerate(rounds.in_order(shard)):
                batch = learner.batch(slot.clusters)
                with seeded(rounds.seed, number, shard):
                    prob = learner.predict(batch.x, num_samples, batch.prior)
                nodes = [graph.cluster(c).node for c in slot.clusters]
                yield torch.cat(nodes), prob

    if path is None:
        nodes, parts = zip(*predictions(), strict=True)
        return torch.cat(nodes), torch.cat(parts)
    with WholeRows(path, graph.num_nodes, ranks, int(first)) as rows:
        for node, prob in predictions():
            rows.write(node, prob)
        return torch.arange(graph.num_nodes), rows.finish()
