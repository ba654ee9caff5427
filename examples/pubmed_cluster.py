r"""Learns the graph of Pubmed in batches of clusters, from graphs that were
tampered with, and from no graph at all.

Half of the citations are removed, or 50 % or 100 % false ones are added;
without a graph, the nearest neighbours by features are used. METIS partitions
the graph into clusters. VGCN then learns a dense graph inside each cluster
(block-diagonal, as in the paper), or only the weights of the given edges,
including those between clusters in the same batch (candidates). They are
compared with GCN and GAT on the whole, unchanged graph.

    python examples/pubmed_cluster.py --graphs 'add 100%'   # 5 minutes
    python examples/pubmed_cluster.py --seeds 5             # 2 hours

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
from torch_geometric.nn import GAT, GCN
from torch_geometric.transforms import Compose, NormalizeFeatures

from torch_geometric_vgcn import (
    ClusterPairs,
    EvidencePrior,
    FixedGraph,
    FreePosterior,
    LogisticKL,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
    predict_batches,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.loader import ClusterData
from torch_geometric_vgcn.objective import IWELBO
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    KNNGraph,
    PoisonGraph,
    RandomPerturbation,
)
from torch_geometric_vgcn.utils import progress_bar

GRAPHS = ('given', 'remove 50%', 'add 50%', 'add 100%', 'no graph')
GCN_, GAT_ = 'GCN', 'GAT'
BLOCKS, CANDIDATES = 'VGCN block-diagonal', 'VGCN candidates'
MODELS = (GCN_, GAT_, BLOCKS, CANDIDATES)
# The prior probability of an edge, the weight of feature similarity, and the
# learning rate: the best by validation accuracy of a few tried with one seed.
# A dense step costs many times more, so there are fewer of them.
SETTINGS = {BLOCKS: (0.1, 0.0, 0.03), CANDIDATES: (0.5, 2.0, 0.02)}
DENSE_STEPS = 0.3


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--root', help='folder with PubMed/raw (default: $VGCN_DATA)')
    add('--dataset', default='PubMed', choices=['PubMed', 'CiteSeer', 'Cora'])
    add('--graphs', nargs='+', default=GRAPHS, choices=GRAPHS)
    add('--models', nargs='+', default=MODELS, choices=MODELS)
    add('--seeds', type=int, default=1, help='graphs, splits and weights')
    add('--num-parts', type=int, default=20, help='number of clusters')
    add('--batch-size', type=int, default=4, help='clusters per step')
    add('--hidden', type=int, default=16, help='hidden units')
    add('--steps', type=int, default=200, help='steps per model')
    add('--out', type=Path, default=Path('results/pubmed_cluster'))
    add('--resume', action='store_true', help='resume an interrupted run')
    return parser.parse_args()


def load(graph: str, seed: int, args: argparse.Namespace) -> Data:
    data = planetoid(args.dataset, args.root, download='pip')[0]
    edges = data.num_edges // 2
    # Which edges are removed hardly matters if each node keeps one, and
    # PoisonGraph would need the whole spectrum to choose them:
    change = {
        'given': [],
        'remove 50%': [RandomPerturbation(remove=edges // 2, seed=seed)],
        'add 50%': [PoisonGraph(add=edges // 2, seed=seed)],
        'add 100%': [PoisonGraph(add=edges, seed=seed)],
        'no graph': [KNNGraph(k=20)],
    }
    steps = [NormalizeFeatures(), HalfValidation(seed=seed)]
    return Compose(steps + change[graph])(data)


def loader_of(clusters: ClusterData, batch_size: int) -> ClusterLoader:
    r"""Loads all clusters, or those of this process."""
    rank, world = rank_and_world()
    own = SubsetRandomSampler(range(rank, len(clusters), world))
    return ClusterLoader(clusters, batch_size=batch_size, sampler=own)


def rank_and_world() -> tuple[int, int]:
    if not dist.is_initialized():
        return 0, 1
    return dist.get_rank(), dist.get_world_size()


def train(
    name: str, data: Data, args: argparse.Namespace, checkpoint: Path
) -> tuple[int, torch.Tensor]:
    r"""The best epoch and the predictions of one model."""
    num_classes = int(data.y.max()) + 1
    sizes = (data.num_features, args.hidden, 2, num_classes)
    if name in (GCN_, GAT_):
        net = GCN(*sizes, dropout=0.5)
        if name == GAT_:  # eight heads of eight units
            shape = (data.num_features, 64, 2, num_classes)
            net = GAT(*shape, heads=8, dropout=0.6, act='elu')
        model = FixedGraph(net, data.edge_index)
        lr = 0.02 if name == GCN_ else 0.01
        # Each process trains the whole model; the first reports and saves it.
        path = checkpoint if rank_and_world()[0] == 0 else None
        result = fit(model, data, epochs=args.steps, lr=lr, checkpoint=path)
        return result.best_epoch, model.predict(data.x)

    clusters = ClusterData(data, args.num_parts, log=False)
    rho1, evidence, lr = SETTINGS[name]
    edge_index, pairs, steps = data.edge_index, None, args.steps
    if name == BLOCKS:
        pairs = ClusterPairs(clusters.cluster)
        edge_index = edge_index[:, pairs.joins(edge_index)]
        steps = round(DENSE_STEPS * steps)
    prior = SmoothedPrior(edge_index, data.num_nodes, rho1, pairs=pairs)
    if evidence > 0:
        prior = EvidencePrior(prior, data.x, evidence)
    net, posterior = GCN(*sizes, dropout=0.5), FreePosterior(sparse=True)
    learner = VariationalGraphLearner(
        net, prior, posterior, objective=IWELBO(LogisticKL())
    )
    loader = loader_of(clusters, args.batch_size)
    epochs = -(-steps // len(loader))
    result = fit(
        learner,
        data,
        loader,
        epochs=epochs,
        lr=lr,
        logit_optimizer=torch.optim.Adam,
        patience=50,
        checkpoint=checkpoint,
        checkpoint_every=5,
    )
    if pairs is not None:
        prob = predict_batches(learner, data.x, pairs.clusters())
    else:
        prob = learner.predict(data.x)
    return result.best_epoch, prob


def checkpoint_of(
    graph: str, seed: int, name: str, args: argparse.Namespace
) -> Path:
    return args.out / f'{graph} {seed} {name}.pt'.replace(' ', '_')


def run(
    graph: str, seed: int, name: str, args: argparse.Namespace
) -> dict[str, object]:
    rank, _ = rank_and_world()
    data = load(graph, seed, args)
    checkpoint = checkpoint_of(graph, seed, name, args)
    if rank == 0 and not args.resume:
        checkpoint.unlink(missing_ok=True)
    if dist.is_initialized():
        dist.barrier()
    # Each process has its own noise; all start from the first's weights.
    seed_everything(seed + 1000 * rank)
    start = time.time()
    epoch, prob = train(name, data, args, checkpoint)
    val_acc, _ = evaluate(prob, data.y, data.val_mask)
    acc, nll = evaluate(prob, data.y, data.test_mask)
    return {
        'graph': graph,
        'seed': seed,
        'model': name,
        'epoch': epoch,
        'val_acc': val_acc,
        'test_acc': acc,
        'test_nll': nll,
        'seconds': round(time.time() - start, 1),
    }


def main() -> None:
    args = arguments()
    if 'RANK' in os.environ:
        dist.init_process_group('gloo')
    rank, world = rank_and_world()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / 'results.json'
    rows = []
    if args.resume and path.exists():
        rows = json.loads(path.read_text())['runs']
    done = {(row['graph'], row['seed'], row['model']) for row in rows}
    jobs = [
        (graph, seed, model)
        for seed in range(args.seeds)
        for graph in args.graphs
        for model in args.models
        if (graph, seed, model) not in done
    ]
    settings = {k: str(v) for k, v in vars(args).items()}
    for job in progress_bar(jobs, desc='runs', disable=rank > 0):
        row = run(*job, args)
        rows.append(row)
        if rank == 0:
            report = {'arguments': settings, 'processes': world, 'runs': rows}
            path.write_text(json.dumps(report, indent=2))
            checkpoint_of(*job, args).unlink()  # up to 160 MB each
    if rank == 0:
        print_table(rows, args)
        print(f'\nResults: {path}')
    if dist.is_initialized():
        dist.destroy_process_group()


def print_table(rows: list[dict], args: argparse.Namespace) -> None:
    r"""Test accuracy, mean ± standard deviation over the seeds."""
    print(f'\n| graph | {" | ".join(args.models)} |')
    print('| --- ' * (1 + len(args.models)) + '|')
    for graph in args.graphs:
        cells = []
        for model in args.models:
            acc = torch.tensor(
                [
                    100 * row['test_acc']
                    for row in rows
                    if (row['graph'], row['model']) == (graph, model)
                ]
            )
            std = acc.std(correction=min(1, len(acc) - 1))
            cells.append(f'{acc.mean():.1f} ± {std:.1f}')
        print(f'| {graph} | {" | ".join(cells)} |')


if __name__ == '__main__':
    main()
