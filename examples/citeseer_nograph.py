r"""Classifies Citeseer's papers without Citeseer's graph.

The one call gets features and labels only. Beside it, with the same splits,
network and training: no graph at all, the graph of nearest neighbours as it
is, and edges that are doubted as in the learned graph, but not learned. Half
of the validation nodes are moved to the training set, as in the LDS and VGCN
papers. Test labels are looked at once, in the end.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor

from torch_geometric_vgcn import VGCN, VariationalGraphLearner, evaluate
from torch_geometric_vgcn.analysis import calibration
from torch_geometric_vgcn.datasets import planetoid
from torch_geometric_vgcn.recipe import (
    FixedMember,
    LearnedMember,
    Task,
    nearest_neighbors,
)
from torch_geometric_vgcn.transforms import HalfValidation
from torch_geometric_vgcn.utils import progress_bar


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add('--root', help='folder with CiteSeer/raw (default: $VGCN_DATA)')
    add('--dataset', default='CiteSeer', choices=['CiteSeer', 'Cora'])
    add('--seeds', type=int, default=3, help='number of splits')
    add('--processes', type=int, default=2, help='that train side by side')
    add('--effort', default='default', choices=['quick', 'default', 'best'])
    add('--out', type=Path, default=Path('results/citeseer_nograph'))
    return parser.parse_args()


class DoubtedMember(LearnedMember):
    r"""The control of a learned graph: its edges keep their prior."""

    def learner(self, task: Task) -> VariationalGraphLearner:
        learner = super().learner(task)
        learner.posterior = learner.posterior.terms[0].requires_grad_(False)
        return learner


CONTROLS = [
    FixedMember('nearest neighbours, as they are', nearest_neighbors),
    DoubtedMember('nearest neighbours, not learned', nearest_neighbors),
]


def trial(args: argparse.Namespace, seed: int) -> list[dict[str, Any]]:
    r"""The scores of all models on a split. Writes the learned graph."""
    data = HalfValidation(seed)(planetoid(args.dataset, args.root)[0])
    data.edge_index = None
    start = time.time()
    options = {'effort': args.effort, 'seed': seed, 'progress': False}
    model = VGCN(data, **options).fit()
    seconds = time.time() - start
    graph = model.learned_graph(threshold=0.5)
    torch.save(graph.to_dict(), args.out / f'learned_graph_{seed}.pt')
    control = VGCN(data, members=CONTROLS, **options).fit()
    prob = model.prob_ | control.prob_ | {'the one call': model.predict()}
    rows = []
    for name, value in prob.items():
        acc, nll = evaluate(value, data.y, data.test_mask)
        ece = calibration(value, data.y, data.test_mask).error
        scores = {'test_acc': acc, 'test_nll': nll, 'test_ece': ece}
        rows.append({'model': name, 'seed': seed} | scores)
    table = model.edges()
    rows[-1] |= {
        'weights': model.weights_,
        'same_class_auc': same_class_auc(table, data.y),
        'candidates': len(table),
        'learned_edges': graph.num_edges // 2,
        'seconds': round(seconds, 1),
    }
    return rows


def same_class_auc(table: Any, y: Tensor) -> float:
    r"""How well edge probabilities tell edges inside a class from others."""
    source, target = (torch.tensor(table[end]) for end in ('source', 'target'))
    return float(roc_auc_score(y[source] == y[target], table['posterior']))


def trials(args: argparse.Namespace) -> list[dict[str, Any]]:
    r"""All runs, side by side: on a graph of this size a second thread is of
    no use, but a second process is.
    """
    os.environ['OMP_NUM_THREADS'] = '1'  # in each process
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(args.processes, context) as pool:
        runs = pool.map(partial(trial, args), range(args.seeds))
        return sum(progress_bar(runs, 'splits', args.seeds), [])


def main() -> None:
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    planetoid(args.dataset, args.root, download='pip')  # before all runs
    rows = trials(args)
    report = {'arguments': vars(args) | {'out': str(args.out)}, 'runs': rows}
    (args.out / 'results.json').write_text(json.dumps(report, indent=2))
    print_table(rows)
    calls = [row for row in rows if row['model'] == 'the one call']
    last = calls[-1]
    print(
        f'\nOne call took {sum(r["seconds"] for r in calls) / len(calls):.0f} '
        f's. Nearest neighbours are {last["candidates"]} edges; '
        f'{last["learned_edges"]} of them\nhave a probability of at least 1/2 '
        'in the last learned graph. The AUC of edges inside a class is '
        f'{last["same_class_auc"]:.2f}.\nResults and graphs: {args.out}/'
    )


def print_table(rows: list[dict[str, Any]]) -> None:
    r"""Means and standard deviations over splits."""
    columns = {
        'test accuracy': ('test_acc', 100, 1),
        'test NLL': ('test_nll', 1, 3),
        'test ECE': ('test_ece', 100, 1),
    }
    print(f'\n{"model":32}' + ''.join(f'{name:>15}' for name in columns))
    for name in dict.fromkeys(row['model'] for row in rows):
        mine = [row for row in rows if row['model'] == name]
        cells = ''.join(
            f'{_cell((row[key] * scale for row in mine), digits):>15}'
            for key, scale, digits in columns.values()
        )
        print(f'{name:32}{cells}')


def _cell(values: Iterable[float], digits: int) -> str:
    value = torch.tensor(list(values))
    spread = value.std() if value.numel() > 1 else torch.tensor(0.0)
    return f'{value.mean():.{digits}f} ± {spread:.{digits}f}'


if __name__ == '__main__':
    main()
