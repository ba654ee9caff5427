r"""Learns a graph for Citeseer, whose own graph is hidden.

The k-nearest-neighbour graph is made from the features alone. The same network
with the same training is given three graphs: that one as it is; graphs drawn
from a prior that doubts its edges; and graphs drawn from a posterior, which
learns which edges connect nodes of the same class. Half of the validation
nodes are moved to the training set, as in the LDS and VGCN papers; test
accuracy is computed once, after the epoch was chosen by validation accuracy.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from torch_geometric_vgcn import (
    EvidencePrior,
    FreePosterior,
    LogisticKL,
    SemiSupervisedELBO,
    SmoothedPrior,
    VariationalGraphLearner,
    calibrate,
    evaluate,
    fit,
)
from torch_geometric_vgcn.analysis import calibration
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.progress import progress_bar
from torch_geometric_vgcn.transforms import HalfValidation, KNNGraph, UnitRows

MODELS = ('kNN graph', 'prior', 'learned')


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--dataset', default='CiteSeer', choices=['CiteSeer', 'Cora'])
    add('--seeds', type=int, default=5, help='number of splits')
    add('--processes', type=int, default=2, help='that train side by side')
    add('--k', type=int, default=20, help='nearest neighbours')
    add('--rho1', type=float, default=0.1, help='trust in a kNN edge')
    add('--evidence', type=float, default=2.0, help='weight of similarity')
    add('--hidden', type=int, default=64, help='hidden units')
    add('--lr', type=float, default=0.02, help='learning rate')
    add('--epochs', type=int, default=100, help='maximum number of epochs')
    add('--out', type=Path, default=Path('results/citeseer_nograph'))
    return parser.parse_args()


def make(
    name: str, data: Data, prior: Prior, args: argparse.Namespace
) -> VariationalGraphLearner:
    r"""One of the three models, which differ in nothing but the graph."""
    num_classes = int(data.y.max()) + 1
    net = PropagatedMLP(data.num_features, args.hidden, num_classes)
    share = data.y[data.val_mask].bincount(minlength=num_classes) + 1
    bound = SemiSupervisedELBO(LogisticKL(), class_share=share)
    if name == 'learned':
        return VariationalGraphLearner(net, prior, objective=bound)
    if name == 'kNN graph':  # each edge is certain
        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1=1 - 1e-6)
    learner = VariationalGraphLearner(
        net, prior, FreePosterior(), objective=bound
    )
    learner.posterior.requires_grad_(False)  # stays at the prior
    return learner


def same_class_auc(learner: VariationalGraphLearner, data: Data) -> float:
    r"""How well edge probabilities tell edges inside a class from others, over
    pairs that aren't both training nodes.
    """
    i, j = learner.prior.pairs.index
    rest = ~(data.train_mask[i] & data.train_mask[j])
    same = (data.y[i] == data.y[j])[rest]
    prob: Tensor = learner.edge_probs().detach()[rest]
    return float(roc_auc_score(same, prob))


@cache
def prepared(
    dataset: str, root: str | None, k: int, rho1: float, evidence: float
) -> tuple[Data, Prior]:
    r"""The data with their kNN graph, and the prior that doubts it."""
    transform = Compose([UnitRows(), KNNGraph(k)])
    data = transform(planetoid(dataset, root)[0])
    prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1=rho1)
    prior = EvidencePrior(prior, data.x, weight=evidence)
    data.x = data.x.to_sparse_csr()  # bags of words: mostly zeros
    return data, prior


def trial(args: argparse.Namespace, seed: int, name: str) -> dict[str, Any]:
    r"""Trains a model on a split. Returns its scores, and writes the graph
    that was learned.
    """
    data, prior = prepared(
        args.dataset, args.root, args.k, args.rho1, args.evidence
    )
    split = HalfValidation(seed)(data)
    seed_everything(seed)
    start = time.time()
    model = make(name, split, prior, args)
    result = fit(
        model,
        split,
        epochs=args.epochs,
        lr=args.lr,
        patience=20,
        progress=False,
    )
    temperature = calibrate(model, split)
    prob = model.predict(split.x, num_samples=16)
    acc, nll = evaluate(prob, split.y, split.test_mask)
    graph = model.learned_graph(threshold=0.5)
    if name == 'learned':
        torch.save(graph.to_dict(), args.out / f'learned_graph_{seed}.pt')
    return {
        'model': name,
        'seed': seed,
        'epoch': result.best_epoch,
        'val_acc': result.val_acc,
        'test_acc': acc,
        'test_nll': nll,
        'test_ece': calibration(prob, split.y, split.test_mask).error,
        'temperature': temperature,
        'same_class_auc': same_class_auc(model, split),
        'candidates': len(prior.pairs),
        'learned_edges': graph.num_edges // 2,
        'seconds': round(time.time() - start, 1),
    }


def trials(args: argparse.Namespace) -> list[dict]:
    r"""All runs, side by side: on a graph of this size a second thread is of
    no use, but a second process is.
    """
    keys = [(seed, name) for seed in range(args.seeds) for name in MODELS]
    os.environ['OMP_NUM_THREADS'] = '1'  # in each process
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(args.processes, context) as pool:
        rows = pool.map(partial(trial, args), *zip(*keys, strict=True))
        return list(progress_bar(rows, 'runs', len(keys)))


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    planetoid(args.dataset, args.root, download='pip')  # before all runs
    rows = trials(args)
    report = {'arguments': vars(args) | {'out': str(args.out)}, 'runs': rows}
    (args.out / 'results.json').write_text(json.dumps(report, indent=2))
    print_table(rows)
    print(
        f'\nThe kNN graph has {rows[-1]["candidates"]} edges; '
        f'{rows[-1]["learned_edges"]} of them have a probability of at least '
        f'1/2 in the last learned graph.\nResults and graphs: {args.out}/'
    )


def print_table(rows: list[dict]) -> None:
    r"""Means and standard deviations over seeds. NLL and ECE are those after
    temperature scaling; AUC is that of :func:`same_class_auc`.
    """
    columns = {
        'test accuracy': ('test_acc', 100, 1),
        'test NLL': ('test_nll', 1, 3),
        'test ECE': ('test_ece', 100, 1),
        'graph AUC': ('same_class_auc', 100, 1),
    }
    head = ''.join(f'{name:>15}' for name in columns)
    print(f'\n{"graph":12}{head}{"s/run":>8}')
    for name in dict.fromkeys(row['model'] for row in rows):
        mine = [row for row in rows if row['model'] == name]
        cells = ''.join(
            f'{_cell((row[key] * scale for row in mine), digits):>15}'
            for key, scale, digits in columns.values()
        )
        seconds = sum(row['seconds'] for row in mine) / len(mine)
        print(f'{name:12}{cells}{seconds:8.0f}')


def _cell(values: Iterable[float], digits: int) -> str:
    value = torch.tensor(list(values))
    spread = value.std() if value.numel() > 1 else torch.tensor(0.0)
    return f'{value.mean():.{digits}f} ± {spread:.{digits}f}'


if __name__ == '__main__':
    main()
