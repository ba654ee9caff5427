r"""Each system on its own paper's ground: the true graph, the public split.

    python benchmarks/paper/reported.py --seeds 5   # about 10 minutes

Prints what was reported beside what we get. Runs that the file already has are
skipped, so that it can be called again for more systems or seeds.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from systems import SYSTEMS
from systems.base import System, blind
from torch_geometric.transforms import NormalizeFeatures
from tqdm import tqdm

from torch_geometric_vgcn import evaluate
from torch_geometric_vgcn.datasets import planetoid


class Reported(NamedTuple):
    r"""A test accuracy in percent, and who reports it."""

    accuracy: float
    source: str


KIPF = 'Kipf and Welling 2017, https://arxiv.org/abs/1609.02907'
VELICKOVIC = 'Veličković et al. 2018, https://arxiv.org/abs/1710.10903'
ZHU = 'Zhu et al. 2019, https://doi.org/10.1145/3292500.3330851'
# Hamilton et al. have other data sets; a reproduction stands in.
QU = 'reproduction, https://github.com/quqixun/gnn-pytorch'

REPORTED = {
    'MLP': {'Cora': Reported(55.1, KIPF), 'CiteSeer': Reported(46.5, KIPF)},
    'GCN': {'Cora': Reported(81.5, KIPF), 'CiteSeer': Reported(70.3, KIPF)},
    'SAGE': {'Cora': Reported(80.1, QU), 'CiteSeer': Reported(70.1, QU)},
    'GAT': {
        'Cora': Reported(83.0, VELICKOVIC),
        'CiteSeer': Reported(72.5, VELICKOVIC),
    },
    'RGCN': {'Cora': Reported(82.8, ZHU), 'CiteSeer': Reported(71.2, ZHU)},
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--systems', nargs='+', default=list(REPORTED), choices=list(REPORTED))
    add('--seeds', type=int, default=5, help='seeds 0, 1, ... of each system')
    add('--root', default=os.environ.get('VGCN_DATA'), help='raw data')
    add('--out', type=Path, default=Path('results/reported.jsonl'))
    return parser.parse_args()


def run(system: System, name: str, seed: int, root: str | None) -> dict:
    r"""Trains without the test labels, then looks at them once."""
    data = NormalizeFeatures()(planetoid(name, root)[0])
    start = time.process_time()
    outcome = system.train(blind(data), seed, **system.quick)
    seconds = time.process_time() - start
    return {
        'system': system.title,
        'dataset': name,
        'seed': seed,
        'settings': dict(system.quick),
        'epoch': outcome.epoch,
        'val_acc': outcome.val_acc,
        'test_acc': evaluate(outcome.prob, data.y, data.test_mask)[0],
        'seconds': round(seconds, 1),
    }


def read(path: Path) -> list[dict]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def table(rows: list[dict]) -> str:
    r"""The rows beside what was reported, in Markdown."""
    lines = [
        '| system | data set | reported | source | ours | difference |',
        '| --- | --- | --- | --- | --- | --- |',
    ]
    for title, datasets in REPORTED.items():
        for name, (reported, source) in datasets.items():
            key = {'system': title, 'dataset': name}
            acc = 100 * np.array(
                [row['test_acc'] for row in rows if key.items() <= row.items()]
            )
            if acc.size == 0:
                continue
            std = acc.std(ddof=min(1, acc.size - 1))
            lines.append(
                f'| {title} | {name} | {reported:.1f} | {source} '
                f'| {acc.mean():.1f} ± {std:.1f} '
                f'| {acc.mean() - reported:+.1f} |'
            )
    return '\n'.join(lines)


def main() -> None:
    args = arguments()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    done = {(r['system'], r['dataset'], r['seed']) for r in read(args.out)}
    systems = {system.title: system for system in SYSTEMS}
    todo = [
        (title, name, seed)
        for title in args.systems
        for name in REPORTED[title]
        for seed in range(args.seeds)
        if (title, name, seed) not in done
    ]
    with args.out.open('a') as file:
        for title, name, seed in tqdm(todo):
            row = run(systems[title](), name, seed, args.root)
            file.write(json.dumps(row) + '\n')
            file.flush()
    print(table(read(args.out)))


if __name__ == '__main__':
    main()
