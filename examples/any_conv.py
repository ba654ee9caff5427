r"""One network, five convs, Citeseer without its graph.

The network below is not aware of edge weights or sampled graphs. With each
conv it is trained on the unchanged k-nearest-neighbour graph, and with that
graph as the prior of a learner.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from torch import Tensor
from torch.nn import Linear, Module
from torch.nn.functional import dropout
from torch_geometric import seed_everything
from torch_geometric.data import Data
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
    knn = SmoothedPrior(data.edge_index, data.num_nodes, rho1=0.1)
    prior = EvidencePrior(knn, data.x)
    data.x = data.x.to_sparse_csr()

    rows = []
    print('| conv | kNN graph, unchanged | learned graph | route |')
    print('| --- | --- | --- | --- |')
    for name in args.convs:
        fixed, learned = [], []
        for seed in range(args.seeds):
            split = HalfValidation(seed)(data)
            for scores in (fixed, learned):
                seed_everything(seed)
                net = Net(CONVS[name], data.num_features)
                model: FixedGraph | VariationalGraphLearner
                if scores is fixed:
                    model = FixedGraph(net, data.edge_index)
                else:
                    model = VariationalGraphLearner(net, prior)
                scores.append(accuracy(model, split, args.epochs))
        rows.append(
            {'conv': name, 'route': str(model.route), 'fixed': fixed,
             'learned': learned}
        )  # fmt: skip
        cells = [f'{100 * mean(each):.1f}' for each in (fixed, learned)]
        print(f'| {name} | {" | ".join(cells)} | {model.route} |')

    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(rows, indent=2))
    print(f'\nTest accuracy, mean of {args.seeds} seeds: {args.out}')


def accuracy(
    model: FixedGraph | VariationalGraphLearner, data: Data, epochs: int
) -> float:
    r"""The test accuracy after training."""
    fit(model, data, epochs=epochs)
    prob = model.predict(data.x, num_samples=16)
    return evaluate(prob, data.y, data.test_mask)[0]


if __name__ == '__main__':
    main()
