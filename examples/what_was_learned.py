r"""Plots of what was learned, on Citeseer without its graph and with a
poisoned one.

Without a graph, the posterior starts from the ten nearest neighbours, at a
probability of one half; the poisoned graph has 5,000 false edges, and each
edge starts at one quarter. Both are the settings of the paper's figures. Each
is trained with the paper's smoothed prior and with the evidence prior, which
adds feature similarity.
"""

import argparse
import json
import os
from pathlib import Path

import matplotlib
import numpy as np
import torch
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GCN
from torch_geometric.transforms import NormalizeFeatures

from torch_geometric_vgcn import (
    Bernoulli,
    EvidencePrior,
    FixedGraph,
    SmoothedPrior,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.analysis import (
    calibration,
    communities,
    moved_links,
)
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.plots import (
    plot_community,
    plot_convergence,
    plot_posterior_change,
    plot_posterior_histogram,
    plot_reliability,
)
from torch_geometric_vgcn.training import Fit
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    KNNGraph,
    PoisonGraph,
)
from torch_geometric_vgcn.utils import progress_bar

matplotlib.use('Agg')  # plots are written to files
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

Model = FixedGraph | VariationalGraphLearner
GCN_ONLY, SMOOTHED, EVIDENCE = 'GCN', 'smoothed prior', 'evidence prior'
DISCRETE = 'smoothed prior, discrete'
RUNS = [
    *(('nograph', name) for name in (GCN_ONLY, SMOOTHED, DISCRETE, EVIDENCE)),
    *(('poisoned', name) for name in (GCN_ONLY, SMOOTHED, EVIDENCE)),
]
RHO1 = {'nograph': 0.5, 'poisoned': 0.25}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    add = parser.add_argument
    add('--root', default=os.environ.get('VGCN_DATA'), help='raw data')
    add('--epochs', type=int, default=400, help='maximum number of epochs')
    add('--seed', type=int, default=0)
    add('--out', type=Path, default=Path('results/what_was_learned'))
    return parser.parse_args()


def poisoned(data: Data, root: str | None, seed: int) -> Data:
    r"""The graph of the paper's authors, if it is next to the raw data."""
    path = Path(root or '.').parent / 'poisoned' / 'citeseer.npz'
    if not path.exists():
        return PoisonGraph(add=5000, seed=seed)(data)
    with np.load(path) as graphs:
        edges = torch.from_numpy(graphs['add_5000_v0'].astype(np.int64))
    data = data.clone()
    after = Candidates(edges, data.num_nodes)
    data.added_pairs = after.index[:, ~after.contains(data.edge_index)]
    data.edge_index = torch.cat([edges, edges.flip(0)], dim=1)
    return data


def train(
    name: str, data: Data, rho1: float, args: argparse.Namespace
) -> tuple[Model, Fit, Tensor]:
    seed_everything(args.seed)
    net = GCN(data.num_features, 16, 2, int(data.y.max()) + 1, dropout=0.5)
    model: Model
    if name == GCN_ONLY:
        model = FixedGraph(net, data.edge_index)
    else:
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
        if name == EVIDENCE:
            prior = EvidencePrior(prior, data.x)
        sampler = Bernoulli() if name == DISCRETE else None
        model = VariationalGraphLearner(net, prior, sampler=sampler)
    data = data.clone()
    data.x = data.x.to_sparse_csr()  # bags of words: mostly zeros
    result = fit(model, data, epochs=args.epochs, lr=0.02)
    return model, result, model.predict(data.x, num_samples=16)


def pick(data: Data, learner: VariationalGraphLearner) -> dict[str, Tensor]:
    r"""The largest community of at most 45 nodes, and the one of these in
    which the most added edges have a probability of at least one half.
    """
    small = [nodes for nodes in communities(data) if len(nodes) <= 45]
    links = moved_links(learner, added_pairs=data.added_pairs)
    wrong = links.added & (links.posterior >= 0.5)
    pairs = learner.prior.pairs

    def number_wrong(nodes: Tensor) -> int:
        return int(wrong[pairs.subset(nodes).position].sum())

    several = [nodes for nodes in small if len(nodes) > 1]
    return {'largest': small[0], 'worst': max(several, key=number_wrong)}


def save(ax: Axes, path: Path) -> None:
    ax.figure.savefig(path, dpi=100)
    plt.close(ax.figure)


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    citeseer = NormalizeFeatures()(
        planetoid('CiteSeer', args.root, download='pip')[0]
    )
    graphs = {
        'nograph': KNNGraph(k=10)(citeseer),
        'poisoned': poisoned(citeseer, args.root, args.seed),
    }
    graphs = {
        setting: HalfValidation(args.seed)(data)
        for setting, data in graphs.items()
    }
    report: dict[str, dict] = {'nograph': {}, 'poisoned': {}}
    models, fits = {}, {}
    for setting, name in progress_bar(RUNS, desc='runs'):
        data = graphs[setting]
        run = train(name, data, RHO1[setting], args)
        models[setting, name], fits[setting, name], prob = run
        truth = (data.y, data.test_mask)
        facts: dict[str, float] = {
            'best_epoch': run[1].best_epoch,
            'test_acc': evaluate(prob, *truth)[0],
            'test_ece': calibration(prob, *truth).error,
        }
        if name != GCN_ONLY:
            added = data.get('added_pairs')
            facts |= moved_links(run[0], added_pairs=added).counts()
        report[setting][name] = facts
        word = name.split(' ')[0]
        if setting == 'poisoned':
            ax = plot_reliability(prob, *truth)
            save(ax, args.out / f'reliability_{word}.png')

    for name in (SMOOTHED, EVIDENCE):
        word = name.split(' ')[0]
        ax = plot_posterior_histogram(models['nograph', name])
        save(ax, args.out / f'posterior_histogram_{word}.png')
        data, learner = graphs['poisoned'], models['poisoned', name]
        ax = plot_posterior_change(learner, data.added_pairs)
        save(ax, args.out / f'posterior_change_{word}.png')
        for which, nodes in pick(data, learner).items():
            ax, _ = plot_community(data, learner, nodes)
            save(ax, args.out / f'community_{which}_{word}.png')
    for setting in graphs:
        curves = {
            name: fits[run, name] for run, name in RUNS if run == setting
        }
        ax = plot_convergence(curves)
        save(ax, args.out / f'convergence_{setting}.png')

    (args.out / 'counts.json').write_text(json.dumps(report, indent=2))
    print_table(report)
    print(f'\nPlots and counts: {args.out}/')


def print_table(report: dict[str, dict]) -> None:
    print('\n| | test accuracy | ECE | links | moved by more than 0.02 '
          '| added | added, above ½ |')  # fmt: skip
    print('| --- | --- | --- | --- | --- | --- | --- |')
    for setting, models in report.items():
        for name, facts in models.items():
            keys = ('links', 'moved', 'added', 'added_above_half')
            cells = [f'{facts[key]:,}' if key in facts else '' for key in keys]
            print(
                f'| {setting}, {name} | {100 * facts["test_acc"]:.1f} '
                f'| {facts["test_ece"]:.3f} | {" | ".join(cells)} |'
            )


if __name__ == '__main__':
    main()
