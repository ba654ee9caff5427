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
from torch_geometric_vgcn.transforms import (
    HalfValidation,
    KNNGraph,
    PoisonGraph,
)

matplotlib.use('Agg')  # plots are written to files
from matplotlib.axes import Axes  # noqa: E402

#: The prior probability of an edge.
RHO1 = {'nograph': 0.5, 'poisoned': 0.25}
DISCRETE = 'smoothed prior, discrete'


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


def model_of(
    name: str, data: Data, rho1: float
) -> FixedGraph | VariationalGraphLearner:
    net = GCN(data.num_features, 16, 2, int(data.y.max()) + 1, dropout=0.5)
    if name == 'GCN':
        return FixedGraph(net, data.edge_index)
    prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1)
    if name == 'evidence prior':
        prior = EvidencePrior(prior, data.x)
    sampler = Bernoulli() if name == DISCRETE else None
    return VariationalGraphLearner(net, prior, sampler=sampler)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    add = parser.add_argument
    add('--root', default=os.environ.get('VGCN_DATA'), help='raw data')
    add('--epochs', type=int, default=400, help='maximum number of epochs')
    add('--seed', type=int, default=0)
    add('--out', type=Path, default=Path('results/what_was_learned'))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    def save(ax: Axes, name: str) -> None:
        ax.figure.savefig(args.out / f'{name}.png', dpi=100)

    citeseer = planetoid('CiteSeer', args.root, download='pip')[0]
    citeseer = NormalizeFeatures()(citeseer)
    graphs = {
        'nograph': KNNGraph(k=10)(citeseer),
        'poisoned': poisoned(citeseer, args.root, args.seed),
    }
    report: dict[str, dict[str, dict]] = {}
    for setting, data in graphs.items():
        data = HalfValidation(args.seed)(data)
        truth = (data.y, data.test_mask)
        names = ['GCN', 'smoothed prior', DISCRETE, 'evidence prior']
        if setting == 'poisoned':
            names.remove(DISCRETE)
        report[setting], fits = {}, {}
        for name in names:
            word = name.split(' ')[0]
            seed_everything(args.seed)
            model = model_of(name, data, RHO1[setting])
            bags = data.clone()
            bags.x = data.x.to_sparse_csr()  # bags of words: mostly zeros
            fits[name] = fit(model, bags, epochs=args.epochs, lr=0.02)
            prob = model.predict(bags.x, num_samples=16)
            facts = report[setting][name] = {
                'best_epoch': fits[name].best_epoch,
                'test_acc': evaluate(prob, *truth)[0],
                'test_ece': calibration(prob, *truth).error,
            }
            if setting == 'poisoned':
                save(plot_reliability(prob, *truth), f'reliability_{word}')
            if isinstance(model, FixedGraph):
                continue
            added = data.get('added_pairs')
            facts |= moved_links(model, added_pairs=added).counts()
            if setting == 'poisoned':
                ax = plot_posterior_change(model, added)
                save(ax, f'posterior_change_{word}')
                for which, nodes in pick(data, model).items():
                    ax, _ = plot_community(data, model, nodes)
                    save(ax, f'community_{which}_{word}')
            elif name != DISCRETE:
                ax = plot_posterior_histogram(model)
                save(ax, f'posterior_histogram_{word}')
        save(plot_convergence(fits), f'convergence_{setting}')
    (args.out / 'counts.json').write_text(json.dumps(report, indent=2))

    keys = ('test_acc', 'test_ece', 'links', 'moved', 'added_above_half')
    print(f'| | {" | ".join(keys)} |\n| --- {"| --- " * len(keys)}|')
    for setting, models in report.items():
        for name, facts in models.items():
            cells = [
                f'{facts[key]:,.5g}' if key in facts else '' for key in keys
            ]
            print(f'| {setting}, {name} | {" | ".join(cells)} |')
    print(f'\nPlots and counts: {args.out}/')


if __name__ == '__main__':
    main()
