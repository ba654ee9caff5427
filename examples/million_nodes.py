r"""Learns the graph of a million nodes of which no process holds more than
its share: makes a synthetic graph on disk, partitions it, trains, predicts.

    python examples/million_nodes.py                        # one process
    torchrun --nproc_per_node=4 --max-restarts=3 examples/million_nodes.py

On several machines, with a folder that all of them see, on each of them:

    torchrun --nnodes=4 --nproc_per_node=8 --max-restarts=3 \
        --rdzv-backend=c10d --rdzv-endpoint=first-machine:29400 \
        examples/million_nodes.py --together 32 --out /shared/million

Twenty candidates per node, nine of ten inside its community; the features are
noisy, so that a node alone says little about its class. A process that dies
ends the run, and torchrun resumes it from its last checkpoint; the same
command resumes it, too.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from numpy.lib.format import open_memmap
from torch_geometric import seed_everything
from torch_geometric.nn import GCN

from torch_geometric_vgcn import VariationalGraphLearner, fit
from torch_geometric_vgcn.scale import (
    ShardedPosterior,
    StoredClusters,
    StoredGraph,
    learned_edges,
    predict_clusters,
    write_graph,
)
from torch_geometric_vgcn.training import process_group
from torch_geometric_vgcn.utils import progress_bar

COMMUNITY = 1000  # nodes
CLASSES, FEATURES = 7, 32
CHUNK = 50_000  # nodes that are made together


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--nodes', type=int, default=1_000_000)
    add('--degree', type=int, default=20, help='candidates per node')
    add('--cluster-size', type=int, default=2000, help='nodes per cluster')
    add('--batch-size', type=int, default=5, help='clusters per batch')
    add('--together', type=int, default=4, help='batches per step')
    add('--epochs', type=int, default=5)
    add('--metis', action='store_true', help='find the clusters by METIS')
    add('--out', type=Path, default=Path('results/million_nodes'))
    return parser.parse_args()


def make_graph(folder: Path, num_nodes: int, degree: int) -> None:
    r"""Writes features, candidates and classes, a piece at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    mean = rng.standard_normal((CLASSES, FEATURES), np.float32)
    size = (num_nodes, FEATURES)
    x = open_memmap(folder / 'x.npy', 'w+', np.float32, size)
    size = (2, num_nodes * degree)
    edge_index = open_memmap(folder / 'edge_index.npy', 'w+', np.int64, size)
    y = np.arange(num_nodes) // COMMUNITY % CLASSES
    np.save(folder / 'y.npy', y)
    for start in progress_bar(
        range(0, num_nodes, CHUNK), 'graph', leave=False
    ):
        node = np.arange(start, min(start + CHUNK, num_nodes))
        noise = rng.standard_normal((len(node), FEATURES), np.float32)
        x[node[0] : node[-1] + 1] = mean[y[node]] + 2 * noise
        row = np.repeat(node, degree)
        near = row // COMMUNITY * COMMUNITY
        near += rng.integers(COMMUNITY, size=len(row))
        near = np.minimum(near, num_nodes - 1)
        far = rng.integers(num_nodes, size=len(row))
        col = np.where(rng.random(len(row)) < 0.9, near, far)
        edges = slice(start * degree, start * degree + len(row))
        edge_index[0, edges], edge_index[1, edges] = row, col


def partition(folder: Path, args: argparse.Namespace) -> None:
    r"""Makes the graph and partitions it, reading it from disk."""
    make_graph(folder / 'raw', args.nodes, args.degree)
    node = np.arange(args.nodes)
    # As many clusters as the batches of whole steps have:
    together = args.together * args.batch_size
    num_parts = max(1, args.nodes // args.cluster_size // together) * together
    clusters = {'num_parts': num_parts}
    if not args.metis:
        clusters = {'cluster': node * num_parts // args.nodes}
    write_graph(
        folder / 'graph',
        folder / 'raw' / 'x.npy',
        folder / 'raw' / 'edge_index.npy',
        folder / 'raw' / 'y.npy',
        node % 100 == 0,
        node % 100 == 1,
        **clusters,
    )


def main() -> None:
    args = arguments()
    with process_group() as ranks:
        first = ranks.rank == 0
        if first and not (args.out / 'graph' / 'graph.json').exists():
            partition(args.out, args)
        ranks.wait()
        graph = StoredGraph(args.out / 'graph')
        seed_everything(0)
        net = GCN(FEATURES, 16, 2, CLASSES, dropout=0.5)
        learner = VariationalGraphLearner(
            net, graph.prior(), ShardedPosterior()
        )
        start = time.perf_counter()
        result = fit(
            learner,
            graph,
            StoredClusters(graph, args.batch_size, args.together),
            epochs=args.epochs,
            checkpoint=args.out / 'checkpoint',
            checkpoint_every=1,
        )
        took = time.perf_counter() - start
        path = args.out / 'probabilities.npy'
        _, prob = predict_clusters(
            learner, batch_size=args.batch_size, out=path
        )
        learned_edges(learner, folder=args.out / 'learned')
        if first:
            y = torch.from_numpy(np.load(args.out / 'raw' / 'y.npy'))
            test = torch.arange(args.nodes) % 100 > 1
            right = (prob.argmax(dim=1) == y)[test].float().mean()
            report = {
                'nodes': graph.num_nodes,
                'candidates': graph.num_pairs,
                'processes': ranks.world,
                'seconds per epoch': round(took / args.epochs, 1),
                'loss': [row['loss'] for row in result.history],
                'test accuracy': float(right),
            }
            print(json.dumps(report, indent=2))


if __name__ == '__main__':
    main()
