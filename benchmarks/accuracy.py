r"""Test accuracy on Citeseer without a graph and on poisoned graphs.

    python benchmarks/accuracy.py nograph    # 10 splits, about 15 minutes
    python benchmarks/accuracy.py poisoned   # 5 graphs, about 5 minutes

Each run uses the paper's network (two layers, 16 hidden units, dropout 0.5)
and its split (half of the validation nodes join the training set). Validation
accuracy chooses the epoch; the test nodes are looked at once.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric.transforms import NormalizeFeatures
from tqdm import tqdm

from torch_geometric_vgcn import (
    EvidencePrior,
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph

MODELS = ('GCN', 'VGCN, smoothed prior', 'VGCN, evidence prior')


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('setting', choices=['nograph', 'poisoned'])
    add('--dataset', default='CiteSeer', choices=['CiteSeer', 'Cora'])
    add('--root', default=os.environ.get('VGCN_DATA'), help='raw data')
    add('--poisoned', type=Path, help="folder with citeseer.npz, cora.npz "
        "(default: 'poisoned' beside the raw data)")  # fmt: skip
    add('--attack', default='add_5000', help='which poisoned graphs')
    add('--runs', type=int, help='default: 10 splits, or 5 graphs')
    add('--hidden', type=int, default=16)
    add('--lr', type=float, default=0.02)
    add('--epochs', type=int, default=400)
    add('--rho1', type=float, default=0.1)
    add('--evidence', type=float, default=2.0)
    add('--out', type=Path, default=Path('results'))
    return parser.parse_args()


def load(args: argparse.Namespace, run: int) -> Data:
    data = NormalizeFeatures()(planetoid(args.dataset, args.root)[0])
    if args.setting == 'nograph':
        data = KNNGraph(k=20)(data)
    else:
        folder = args.poisoned or Path(args.root).parent / 'poisoned'
        with np.load(folder / f'{args.dataset.lower()}.npz') as graphs:
            edges = graphs[f'{args.attack}_v{run}'].astype(np.int64)
        edges = torch.from_numpy(edges)
        data.edge_index = torch.cat([edges, edges.flip(0)], dim=1)
    return HalfValidation(seed=run)(data)


def train(name: str, data: Data, args: argparse.Namespace, run: int) -> dict:
    seed_everything(run)
    start = time.time()
    num_classes = int(data.y.max()) + 1
    net = GCN(data.num_features, args.hidden, 2, num_classes, dropout=0.5)
    model: FixedGraph | VariationalGraphLearner
    if name == 'GCN':
        model = FixedGraph(net, data.edge_index)
    else:
        prior = SmoothedPrior(data.edge_index, data.num_nodes, args.rho1)
        if name == 'VGCN, evidence prior':
            prior = EvidencePrior(prior, data.x, args.evidence)
        model = VariationalGraphLearner(net, prior)
    data = data.clone()
    data.x = data.x.to_sparse_csr()
    result = fit(model, data, epochs=args.epochs, lr=args.lr)
    prob = model.predict(data.x, num_samples=16)
    acc, nll = evaluate(prob, data.y, data.test_mask)
    return {
        'model': name,
        'run': run,
        'epoch': result.best_epoch,
        'val_acc': result.val_acc,
        'test_acc': acc,
        'test_nll': nll,
        'seconds': round(time.time() - start, 1),
    }


def main() -> None:
    args = arguments()
    runs = args.runs or (10 if args.setting == 'nograph' else 5)
    title = f'{args.dataset}_{args.setting}'
    if args.setting == 'poisoned':
        title += f'_{args.attack}'
    path = args.out / f'{title}.jsonl'
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    with path.open('w') as file:
        for run in tqdm(range(runs), desc=title):
            data = load(args, run)
            for name in MODELS:
                rows.append(train(name, data, args, run))
                file.write(json.dumps(rows[-1]) + '\n')
                file.flush()
    print(f'\n{title}, {runs} runs ({path})\n')
    print('| model | validation | test accuracy | test NLL |')
    print('| --- | --- | --- | --- |')
    for name in MODELS:
        mine = [row for row in rows if row['model'] == name]
        column = {key: np.array([r[key] for r in mine]) for key in mine[0]}
        acc, nll = 100 * column['test_acc'], column['test_nll']
        print(
            f'| {name} | {100 * column["val_acc"].mean():.1f} '
            f'| {acc.mean():.1f} ± {acc.std(ddof=min(1, runs - 1)):.1f} '
            f'| {nll.mean():.3f} |'
        )


if __name__ == '__main__':
    main()
