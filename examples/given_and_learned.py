r"""The picture of the documentation's first page: a part of Citeseer, as it is
given after 5,000 false edges were added, and as it was learned.

    python examples/given_and_learned.py --out docs/plots
"""

import argparse
from pathlib import Path

import matplotlib
import torch
from torch_geometric import seed_everything

from torch_geometric_vgcn import (
    LogisticKL,
    SemiSupervisedELBO,
    VariationalGraphLearner,
    evaluate,
    fit,
    fitted_prior,
)
from torch_geometric_vgcn.analysis import communities, moved_links
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.plots import plot_community
from torch_geometric_vgcn.transforms import PoisonGraph, UnitRows

matplotlib.use('Agg')  # the picture is written to a file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    add = parser.add_argument
    add('--epochs', type=int, default=120)
    add('--out', type=Path, default=Path('results/given_and_learned'))
    args = parser.parse_args()

    seed_everything(0)
    data = PoisonGraph(add=5000)(UnitRows()(planetoid('CiteSeer')[0]))
    share = data.y[data.val_mask].bincount(minlength=6) + 1
    learner = VariationalGraphLearner(
        PropagatedMLP(data.num_features, 64, 6),
        fitted_prior(data),
        objective=SemiSupervisedELBO(LogisticKL(), class_share=share),
    )
    fit(learner, data, epochs=args.epochs, lr=0.02)
    accuracy, _ = evaluate(learner.predict(data.x), data.y, data.test_mask)
    print(f'test accuracy {accuracy:.1%}')
    print(moved_links(learner, added_pairs=data.added_pairs).counts())

    nodes = next(each for each in communities(data) if len(each) <= 45)
    with matplotlib.rc_context({'font.size': 11, 'svg.hashsalt': 'same'}):
        left, _ = plot_community(data, learner, nodes)
        left.get_legend().remove()
        args.out.mkdir(parents=True, exist_ok=True)
        path = args.out / 'given_and_learned.svg'
        left.figure.savefig(path, metadata={'Date': None})
    print(path)


if __name__ == '__main__':
    torch.set_num_threads(1)
    main()
