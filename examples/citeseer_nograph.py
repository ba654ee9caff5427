r"""Learns a graph for Citeseer, whose own graph is hidden.

The k-nearest-neighbour graph is made from the features alone. A GCN uses that
graph unchanged; VGCN uses it as a prior and learns which of its edges to
trust. Half of the validation nodes are moved to the training set, as in the
LDS and VGCN papers; test accuracy is computed once, after the epoch was chosen
by validation accuracy.
"""

import argparse
import json
import time
from pathlib import Path

import torch
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric.transforms import Compose, NormalizeFeatures
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--dataset', default='CiteSeer', choices=['CiteSeer', 'Cora'])
    add('--seeds', type=int, default=5, help='number of runs')
    add('--k', type=int, default=20, help='nearest neighbours')
    add('--rho1', type=float, default=0.1, help='trust in a kNN edge')
    add('--evidence', type=float, default=2.0, help='weight of similarity')
    add('--hidden', type=int, default=16, help='hidden units')
    add('--lr', type=float, default=0.02, help='learning rate')
    add('--epochs', type=int, default=400, help='maximum number of epochs')
    add('--out', type=Path, default=Path('results/citeseer_nograph'))
    return parser.parse_args()


def gcn(data: Data, args: argparse.Namespace) -> GCN:
    num_classes = int(data.y.max()) + 1
    return GCN(data.num_features, args.hidden, 2, num_classes, dropout=0.5)


def main() -> None:
    args = arguments()
    transform = Compose([NormalizeFeatures(), KNNGraph(args.k)])
    data = transform(planetoid(args.dataset, args.root)[0])
    prior = EvidencePrior(
        SmoothedPrior(data.edge_index, data.num_nodes, rho1=args.rho1),
        data.x,
        weight=args.evidence,
    )
    data.x = data.x.to_sparse_csr()  # bags of words: mostly zeros

    rows = []
    for seed in tqdm(range(args.seeds), desc='seeds'):
        split = HalfValidation(seed)(data)
        for name in ('GCN on kNN', 'VGCN'):
            seed_everything(seed)
            start = time.time()
            if name == 'VGCN':
                model = VariationalGraphLearner(gcn(data, args), prior)
            else:
                model = FixedGraph(gcn(data, args), data.edge_index)
            result = fit(model, split, epochs=args.epochs, lr=args.lr)
            prob = model.predict(split.x, num_samples=16)
            acc, nll = evaluate(prob, split.y, split.test_mask)
            rows.append(
                {
                    'model': name,
                    'seed': seed,
                    'epoch': result.best_epoch,
                    'val_acc': result.val_acc,
                    'test_acc': acc,
                    'test_nll': nll,
                    'seconds': round(time.time() - start, 1),
                }
            )

    args.out.mkdir(parents=True, exist_ok=True)
    graph = model.learned_graph(threshold=0.5)
    torch.save(graph.to_dict(), args.out / 'learned_graph.pt')
    report = {'arguments': vars(args) | {'out': str(args.out)}, 'runs': rows}
    (args.out / 'results.json').write_text(json.dumps(report, indent=2))
    print_table(rows)
    print(
        f'\nThe kNN graph has {len(prior.pairs)} edges; '
        f'{graph.num_edges // 2} of them have a probability of at least 1/2 '
        f'in the last learned graph.\nResults and graph: {args.out}/'
    )


def print_table(rows: list[dict]) -> None:
    print(f'\n{"model":12}{"test accuracy":>17}{"test NLL":>17}{"s/run":>8}')
    for name in dict.fromkeys(row['model'] for row in rows):
        mine = [row for row in rows if row['model'] == name]

        def cell(key: str, scale: float, digits: int, mine=mine) -> str:
            value = torch.tensor([row[key] for row in mine]) * scale
            spread = value.std() if len(mine) > 1 else torch.tensor(0.0)
            return f'{value.mean():.{digits}f} ± {spread:.{digits}f}'

        seconds = sum(row['seconds'] for row in mine) / len(mine)
        print(
            f'{name:12} {cell("test_acc", 100, 1):>16} '
            f'{cell("test_nll", 1, 3):>16} {seconds:7.0f}'
        )


if __name__ == '__main__':
    main()
