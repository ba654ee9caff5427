r"""The picture of the documentation's first page: a part of Citeseer, as it is
given after 5,000 false edges were added, and as the one call learned it.

    python examples/given_and_learned.py --out docs/plots
"""

import argparse
from pathlib import Path

import matplotlib
import torch

from torch_geometric_vgcn import VGCN, evaluate
from torch_geometric_vgcn.analysis import communities
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.plots import plot_community
from torch_geometric_vgcn.transforms import PoisonGraph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--effort', default='default', choices=['quick', 'default', 'best'])
    add('--out', type=Path, default=Path('results/given_and_learned'))
    args = parser.parse_args()

    data = PoisonGraph(add=5000)(planetoid('CiteSeer', args.root)[0])
    model = VGCN(data, effort=args.effort).fit()
    accuracy, _ = evaluate(model.predict(), data.y, data.test_mask)
    print(f'test accuracy {accuracy:.1%}')

    pairs = data.added_pairs.sort(dim=0).values.t().tolist()
    added = set(map(tuple, pairs))
    table = model.edges()
    edges = table[table.given]
    ends = zip(edges.source, edges.target, strict=True)
    false = torch.tensor([end in added for end in ends])
    likely = torch.tensor(edges.posterior.to_numpy() >= 0.5)
    for name, kind in (('right', ~false), ('false', false)):
        kept = int((kind & likely).sum())
        print(
            f'{name} edges given: {int(kind.sum()):,}, {kept:,} at 1/2 or more'
        )

    nodes = next(each for each in communities(data) if len(each) <= 45)
    matplotlib.use('Agg')  # the picture is written to a file
    with matplotlib.rc_context({'font.size': 11, 'svg.hashsalt': 'same'}):
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / 'given_and_learned.svg'
        left, _ = plot_community(data, model, nodes)
        left.figure.savefig(path, metadata={'Date': None})
    print(path)


if __name__ == '__main__':
    torch.set_num_threads(1)
    main()
