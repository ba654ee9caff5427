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
"""

import argparse
import json
from pathlib import Path
from statistics import mean, stdev

import torch
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
BLOCKS, CANDIDATES = 'VGCN block-diagonal', 'VGCN candidates'
MODELS = ('GCN', 'GAT', BLOCKS, CANDIDATES)


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


def train_whole(
    name: str, data: Data, args: argparse.Namespace, checkpoint: Path
) -> torch.Tensor:
    r"""The predictions of a GNN on the whole, unchanged graph."""
    size, classes = data.num_features, int(data.y.max()) + 1
    if name == 'GCN':
        net, lr = GCN(size, 16, 2, classes, dropout=0.5), 0.02
    else:  # eight heads of eight units
        options = {'heads': 8, 'dropout': 0.6, 'act': 'elu'}
        net, lr = GAT(size, 64, 2, classes, **options), 0.01
    model = FixedGraph(net, data.edge_index)
    fit(model, data, epochs=args.steps, lr=lr, checkpoint=checkpoint)
    return model.predict(data.x)


def train_clusters(
    name: str, data: Data, args: argparse.Namespace, checkpoint: Path
) -> torch.Tensor:
    r"""The predictions of a learner that is trained in clusters. The prior
    probability of an edge, the weight of feature similarity and the learning
    rate are the best by validation accuracy of a few tried with one seed.
    """
    clusters = ClusterData(data, args.num_parts, log=False)
    n, steps, pairs = data.num_nodes, args.steps, None
    if name == BLOCKS:
        pairs, lr = ClusterPairs(clusters.cluster), 0.03
        inside = data.edge_index[:, pairs.joins(data.edge_index)]
        prior = SmoothedPrior(inside, n, 0.1, pairs=pairs)
        # A dense step costs many times more, so there are fewer of them:
        steps = round(0.3 * steps)
    else:
        prior, lr = SmoothedPrior(data.edge_index, n, 0.5), 0.02
        prior = EvidencePrior(prior, data.x, 2.0)
    classes = int(data.y.max()) + 1
    learner = VariationalGraphLearner(
        GCN(data.num_features, 16, 2, classes, dropout=0.5),
        prior,
        FreePosterior(sparse=True),
        objective=IWELBO(LogisticKL()),
    )
    order = SubsetRandomSampler(range(len(clusters)))
    loader = ClusterLoader(clusters, batch_size=args.batch_size, sampler=order)
    fit(
        learner,
        data,
        loader,
        epochs=-(-steps // len(loader)),
        lr=lr,
        logit_optimizer=torch.optim.Adam,
        patience=50,
        checkpoint=checkpoint,
        checkpoint_every=5,
    )
    if pairs is None:
        return learner.predict(data.x)
    return predict_batches(learner, data.x, pairs.clusters())


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / 'results.json'
    rows = []
    if args.resume and path.exists():
        rows = json.loads(path.read_text())['runs']
    done = {(row['graph'], row['seed'], row['model']) for row in rows}
    jobs = [
        (graph, seed, name)
        for seed in range(args.seeds)
        for graph in args.graphs
        for name in args.models
        if (graph, seed, name) not in done
    ]
    settings = {name: str(value) for name, value in vars(args).items()}
    for graph, seed, name in progress_bar(jobs, desc='runs'):
        file = f'{graph} {seed} {name}.pt'.replace(' ', '_')
        checkpoint = args.out / file
        if not args.resume:
            checkpoint.unlink(missing_ok=True)
        data = load(graph, seed, args)
        seed_everything(seed)
        train = train_clusters if name in (BLOCKS, CANDIDATES) else train_whole
        prob = train(name, data, args, checkpoint)
        accuracy, nll = evaluate(prob, data.y, data.test_mask)
        row = {'graph': graph, 'seed': seed, 'model': name}
        rows.append(row | {'test_acc': accuracy, 'test_nll': nll})
        report = {'arguments': settings, 'runs': rows}
        path.write_text(json.dumps(report, indent=2))
        checkpoint.unlink()  # up to 160 MB each

    print(f'\n| graph | {" | ".join(args.models)} |')
    print('| --- ' * (1 + len(args.models)) + '|')
    for graph in args.graphs:
        cells = []
        for name in args.models:
            found = [
                100 * row['test_acc']
                for row in rows
                if (row['graph'], row['model']) == (graph, name)
            ]
            spread = stdev(found) if len(found) > 1 else 0.0
            cells.append(f'{mean(found):.1f} ± {spread:.1f}')
        print(f'| {graph} | {" | ".join(cells)} |')
    print(f'\nMean and standard deviation over the seeds: {path}')


if __name__ == '__main__':
    main()
