r"""One network, five convs, Citeseer without its graph.

The network below is not aware of edge weights or sampled graphs. With each
conv it is trained on the unchanged k-nearest-neighbour graph, and with that
graph as the prior of a learner.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import Linear, Module
from torch.nn.functional import dropout
from torch_geometric import seed_everything
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    SAGEConv,
    TransformerConv,
)
from torch_geometric.transforms import Compose, NormalizeFeatures

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
from torch_geometric_vgcn.utils import progress_bar

CONVS: dict[str, Callable[[int, int], Module]] = {
    'GCNConv': GCNConv,
    'GATConv': GATConv,
    'SAGEConv': SAGEConv,
    'GINConv': lambda size, out: GINConv(Linear(size, out)),
    'TransformerConv': TransformerConv,
}


class Net(Module):
    def __init__(self, conv: Callable[[int, int], Module], size: int) -> None:
        super().__init__()
        self.lin = Linear(size, 32)
        self.conv1, self.conv2 = conv(32, 32), conv(32, 6)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = dropout(self.lin(x).relu(), 0.5, self.training)
        x = dropout(self.conv1(x, edge_index).relu(), 0.5, self.training)
        return self.conv2(x, edge_index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--seeds', type=int, default=1, help='number of runs')
    add('--epochs', type=int, default=150, help='maximum number of epochs')
    add('--convs', nargs='+', default=list(CONVS), choices=list(CONVS))
    add('--out', type=Path, default=Path('results/any_conv.json'))
    args = parser.parse_args()

    transform = Compose([NormalizeFeatures(), KNNGraph(k=20)])
    data = transform(planetoid('CiteSeer', args.root, download='pip')[0])
    prior = EvidencePrior(
        SmoothedPrior(data.edge_index, data.num_nodes, rho1=0.1), data.x
    )
    data.x = data.x.to_sparse_csr()

    rows = []
    bar = progress_bar(total=2 * len(args.convs) * args.seeds, desc='runs')
    for name in args.convs:
        for seed in range(args.seeds):
            split = HalfValidation(seed)(data)
            for kind in ('kNN graph, unchanged', 'learned graph'):
                seed_everything(seed)
                net = Net(CONVS[name], data.num_features)
                model: FixedGraph | VariationalGraphLearner
                if kind == 'learned graph':
                    model = VariationalGraphLearner(net, prior)
                else:
                    model = FixedGraph(net, data.edge_index)
                start = time.time()
                fit(model, split, epochs=args.epochs)
                prob = model.predict(split.x, num_samples=16)
                acc, nll = evaluate(prob, split.y, split.test_mask)
                rows.append(
                    {'conv': name, 'graph': kind, 'seed': seed,
                     'route': str(getattr(model, 'route', '')),
                     'test_acc': acc, 'test_nll': nll,
                     'seconds': round(time.time() - start, 1)}
                )  # fmt: skip
                bar.update()
    bar.close()

    os.makedirs(args.out.parent, exist_ok=True)
    args.out.write_text(json.dumps(rows, indent=2))
    print('\n| conv | kNN graph, unchanged | learned graph | route |')
    print('| --- | --- | --- | --- |')
    for name in args.convs:
        mine = [row for row in rows if row['conv'] == name]
        mean = {
            row['graph']: torch.tensor(
                [r['test_acc'] for r in mine if r['graph'] == row['graph']]
            ).mean()
            for row in mine
        }
        cells = ' | '.join(f'{100 * value:.1f}' for value in mean.values())
        print(f'| {name} | {cells} | {mine[-1]["route"]} |')
    print(f'\nTest accuracy, mean of {args.seeds} seeds: {args.out}')


if __name__ == '__main__':
    main()
