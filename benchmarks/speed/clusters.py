r"""An epoch in batches of clusters: Pubmed's block-diagonal model, compared
with all candidates in one batch, and a million nodes through the loader. Peaks
are those of the whole process, including data and METIS.
"""

import argparse
import json
import time

import scale
import torch
from measure import alone, peak, seconds
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN
from torch_geometric.transforms import NormalizeFeatures

from torch_geometric_vgcn import (
    ClusterPairs,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
    fit,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.objective import IWELBO

NUM_PARTS = 20


def pubmed(pairs: str) -> dict:
    r"""Pubmed's citation graph: all pairs in each of twenty clusters, or only
    the citations.
    """
    data = NormalizeFeatures()(planetoid('PubMed')[0])
    edge_index, clusters, block = data.edge_index, None, None
    if pairs == 'blocks':
        clusters = ClusterData(data, NUM_PARTS, log=False)
        block = ClusterPairs(clusters.cluster)
        edge_index = edge_index[:, block.joins(edge_index)]
    prior = SmoothedPrior(edge_index, data.num_nodes, pairs=block)
    learner = learner_of(data, prior, sparse=clusters is not None)
    return epoch(learner, data, clusters, 1)


def million(num_nodes: int) -> dict:
    r"""The block model with twenty candidates per node: clusters of about ten
    thousand nodes, five per batch.
    """
    x, edge_index, y = scale.block_model(num_nodes)
    node = torch.arange(num_nodes)
    data = Data(
        x=x,
        edge_index=edge_index,
        y=y,
        train_mask=node % 100 == 0,
        val_mask=node % 100 == 1,
    )
    start = time.perf_counter()
    clusters = ClusterData(data, max(2, num_nodes // 10_000), log=False)
    took = time.perf_counter() - start
    prior = SmoothedPrior(edge_index, num_nodes)
    learner = learner_of(data, prior, sparse=True)
    return {'partition seconds': took, **epoch(learner, data, clusters, 5)}


def learner_of(
    data: Data, prior: SmoothedPrior, sparse: bool
) -> VariationalGraphLearner:
    num_classes = int(data.y.max()) + 1
    net = GCN(data.num_features, 16, 2, num_classes, dropout=0.5)
    return VariationalGraphLearner(
        net,
        prior,
        FreePosterior(sparse=sparse),
        objective=IWELBO(LogisticKL()),
    )


def epoch(
    learner: VariationalGraphLearner,
    data: Data,
    clusters: ClusterData | None,
    batch_size: int,
) -> dict:
    r"""The time of an epoch including validation, and the peak memory of the
    whole process.
    """
    loader, losses = None, []
    if clusters is not None:
        loader = ClusterLoader(clusters, batch_size=batch_size, shuffle=True)

    def train() -> None:
        result = fit(learner, data, loader, epochs=1, progress=False)
        losses.append(result.history[0]['loss'])

    took = seconds({'epoch': train}, repeat=2, warm_up=1)
    return {
        'nodes': data.num_nodes,
        'pairs': len(learner.prior.pairs),
        'batches': 1 if loader is None else len(loader),
        'epoch': took['epoch'],
        'peak MB': peak(),
        'losses': losses,
    }


def run() -> dict:
    return {
        'block-diagonal': alone(__file__, 'blocks'),
        'one batch': alone(__file__, 'citations'),
        'million': alone(__file__, 'million'),
    }


def table_rows(part: dict) -> list[tuple[str, ...]]:
    block, one, large = part.values()
    return [
        (
            f'Pubmed, block-diagonal, {NUM_PARTS} clusters: an epoch of '
            f'{block["batches"]} steps on {block["pairs"]:,} pairs',
            f'all {one["pairs"]:,} citations in one batch: one step',
            f'{block["epoch"] / one["epoch"]:.0f} × the time',
            f'{block["epoch"]:.1f} s and {block["peak MB"]:.0f} MB in all, '
            f'{one["epoch"]:.2f} s and {one["peak MB"]:.0f} MB',
        ),
        (
            f'{large["nodes"]:,} nodes, {large["pairs"]:,} candidates '
            f'through `ClusterLoader`: an epoch of {large["batches"]} steps',
            '',
            f'{large["peak MB"] / 1024:.1f} GB in all',
            f'{large["epoch"]:.0f} s, partitioning by METIS '
            f'{large["partition seconds"]:.0f} s',
        ),
    ]


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('what', choices=['blocks', 'citations', 'million'])
    parser.add_argument('--nodes', type=int, default=1_000_000)
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.what == 'million':
        print(json.dumps(million(args.nodes)))
    else:
        print(json.dumps(pubmed(args.what)))
