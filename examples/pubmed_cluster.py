r"""Learns the graph of Pubmed in batches of clusters.

METIS cuts the citation graph into clusters. VGCN then learns a dense graph
inside each cluster (block-diagonal, as in the paper), or only the weights of
the citations, also between the clusters that meet in a batch (candidates).
Beside them stands a GCN on the whole graph as it is.

On several cores: torchrun --nproc_per_node=2 examples/pubmed_cluster.py
"""

import argparse
import json
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.utils.data import SubsetRandomSampler
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.loader import ClusterLoader
from torch_geometric.nn import GCN
from torch_geometric.transforms import NormalizeFeatures

from torch_geometric_vgcn import (
    ClusterPairs,
    FixedGraph,
    FreePosterior,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
    fit_batches,
    predict_batches,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.loader import ClusterData

MODELS = ('GCN', 'VGCN block-diagonal', 'VGCN candidates')


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--root', help='folder with PubMed/raw (default: $VGCN_DATA)')
    add('--dataset', default='PubMed', choices=['PubMed', 'CiteSeer', 'Cora'])
    add('--num-parts', type=int, default=20, help='number of clusters')
    add('--batch-size', type=int, default=5, help='clusters of candidates')
    add('--rho1', type=float, default=0.9, help='trust in a citation')
    add('--hidden', type=int, default=16, help='hidden units')
    add('--lr', type=float, default=0.01, help='learning rate')
    add('--epochs', type=int, default=50, help='epochs, one cluster a step')
    add('--seed', type=int, default=0)
    add('--out', type=Path, default=Path('results/pubmed_cluster'))
    add('--resume', action='store_true', help='go on from the checkpoints')
    return parser.parse_args()


def loader_of(clusters: ClusterData, batch_size: int) -> ClusterLoader:
    r"""All clusters, or those of this process."""
    rank, world = rank_and_world()
    own = SubsetRandomSampler(range(rank, len(clusters), world))
    return ClusterLoader(clusters, batch_size=batch_size, sampler=own)


def rank_and_world() -> tuple[int, int]:
    if not dist.is_initialized():
        return 0, 1
    return dist.get_rank(), dist.get_world_size()


def train(
    name: str, data: Data, clusters: ClusterData, args: argparse.Namespace
) -> tuple[int, torch.Tensor]:
    r"""The best epoch and the predictions of one model."""
    num_classes = int(data.y.max()) + 1
    conv = GCN(data.num_features, args.hidden, 2, num_classes, dropout=0.5)
    path = args.out / f'{name.replace(" ", "_")}.pt'
    if rank_and_world()[0] == 0 and not args.resume:
        path.unlink(missing_ok=True)
    if dist.is_initialized():
        dist.barrier()
    if name == 'GCN':
        model = FixedGraph(conv, data.edge_index)
        steps = args.epochs * args.num_parts
        result = fit(model, data, epochs=steps, lr=args.lr)
        return result.best_epoch, model.predict(data.x)

    edge_index, pairs, batch_size = data.edge_index, None, args.batch_size
    if name == 'VGCN block-diagonal':
        pairs, batch_size = ClusterPairs(clusters.cluster), 1
        edge_index = edge_index[:, pairs.joins(edge_index)]
    learner = VariationalGraphLearner(
        conv,
        SmoothedPrior(edge_index, data.num_nodes, args.rho1, pairs=pairs),
        FreePosterior(sparse=True),
    )
    result = fit_batches(
        learner,
        data,
        loader_of(clusters, batch_size),
        # As many steps for each model:
        epochs=args.epochs * batch_size,
        lr=args.lr,
        checkpoint=path,
    )
    if pairs is not None:
        prob = predict_batches(learner, data.x, pairs.clusters())
    else:
        prob = learner.predict(data.x)
    return result.best_epoch, prob


def main() -> None:
    args = arguments()
    if 'RANK' in os.environ:
        dist.init_process_group('gloo')
    rank, _ = rank_and_world()
    data = NormalizeFeatures()(planetoid(args.dataset, args.root)[0])
    clusters = ClusterData(data, args.num_parts, log=rank == 0)
    cut = clusters.cluster[data.edge_index].diff(dim=0).count_nonzero()
    args.out.mkdir(parents=True, exist_ok=True)

    rows = []
    for name in MODELS:
        # Each process has its own noise; all start with the first's weights.
        seed_everything(args.seed + rank)
        start = time.time()
        epoch, prob = train(name, data, clusters, args)
        val_acc, _ = evaluate(prob, data.y, data.val_mask)
        acc, nll = evaluate(prob, data.y, data.test_mask)
        rows.append(
            {
                'model': name,
                'epoch': epoch,
                'val_acc': val_acc,
                'test_acc': acc,
                'test_nll': nll,
                'seconds': round(time.time() - start, 1),
            }
        )
    if rank == 0:
        settings = {k: str(v) for k, v in vars(args).items()}
        report = {'arguments': settings, 'runs': rows}
        (args.out / 'results.json').write_text(json.dumps(report, indent=2))
        print_table(rows)
        print(
            f'\n{args.num_parts} clusters, which cut '
            f'{cut / data.num_edges:.0%} of the edges.\n'
            f'Results and checkpoints: {args.out}/'
        )
    if dist.is_initialized():
        dist.destroy_process_group()


def print_table(rows: list[dict]) -> None:
    print(f'\n{"model":22}{"epoch":>6}{"val":>8}{"test":>8}{"NLL":>8}{"s":>6}')
    for row in rows:
        print(
            f'{row["model"]:22}{row["epoch"]:6}{row["val_acc"]:8.1%}'
            f'{row["test_acc"]:8.1%}{row["test_nll"]:8.3f}'
            f'{row["seconds"]:6.0f}'
        )


if __name__ == '__main__':
    main()
