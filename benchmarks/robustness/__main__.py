r"""Attacks on the graph and the features, and what they cost each system.

    python benchmarks/robustness --quick      # without and with most changes
    python benchmarks/robustness              # all budgets
    python benchmarks/robustness --only meta nettack
    python benchmarks/robustness --datasets CiteSeer Cora --runs 5

Attacked graphs are made once and kept, and an interrupted run resumes where
it stopped. The page, which shows all that has been trained, its figures and
the underlying results are written to docs/results/.
"""

import argparse
import os
import shlex
import sys
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

os.environ.setdefault('OMP_NUM_THREADS', '1')
warnings.filterwarnings('ignore', message='Sparse CSR tensor support')
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / 'paper'))

import report  # noqa: E402
import robustness  # noqa: E402
import trials  # noqa: E402
from cases import Case  # noqa: E402
from experiment import Experiment  # noqa: E402
from make_graphs import make_graphs  # noqa: E402
from options import add_options, parsed  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    some = {'nargs': '+', 'metavar': 'NAME'}
    known = robustness.SYSTEMS + robustness.DEEPROBUST
    add('--quick', action='store_true',
        help='only without an attack and with the largest budget')  # fmt: skip
    add('--only', **some, choices=robustness.ATTACKS,
        default=list(robustness.ATTACKS),
        help=f'some attacks: {", ".join(robustness.ATTACKS)}')  # fmt: skip
    add('--datasets', **some, choices=robustness.DATASETS,
        default=list(robustness.DATASETS),
        help=f'some data sets: {"; ".join(robustness.DATASETS)}')  # fmt: skip
    add('--systems', **some, choices=known,
        help=f'some systems: {"; ".join(known)}')  # fmt: skip
    add('--runs', type=int, default=3,
        help='attacked graphs and splits (default: 3)')  # fmt: skip
    add_options(
        parser,
        'results/robustness',
        'folder of the trials and the attacked graphs',
        'folder of the page',
    )
    return parsed(parser)


def command_of(
    rows: list[dict], experiment: Experiment, runs: int, first: int
) -> str:
    r"""The command that trains what a page shows, or without options if it
    was several.
    """
    count = Counter(
        (Case.of(row), row['system'], str(row['settings'])) for row in rows
    )
    if len(set(count.values())) > 1:
        return 'python benchmarks/robustness'
    cases = dict.fromkeys(map(Case.of, rows))
    attacks = [
        name
        for name in robustness.ATTACKS
        if any(case.attack == name for case in cases)
    ]
    datasets = [
        name
        for name in robustness.DATASETS
        if any(case.dataset == name for case in cases)
    ]
    out = ['python benchmarks/robustness']
    if set(cases) <= set(experiment.quick):
        out.append('--quick')
    if len(attacks) < len(robustness.ATTACKS):
        out += ['--only', *attacks]
    if len(datasets) < len(robustness.DATASETS):
        out += ['--datasets', *(shlex.quote(name) for name in datasets)]
    out.append(f'--runs {runs}')
    if first:
        out.append(f'--first {first}')
    return ' '.join(out)


def main() -> None:
    args = arguments()
    systems = args.systems or robustness.systems()
    missing = set(robustness.DEEPROBUST) - set(robustness.systems())
    if missing:
        note = f'Left out: {", ".join(sorted(missing))}'
        print(f'{note}, which need deeprobust (pip install deeprobust)')
        systems = [name for name in systems if name not in missing]
    trials_of = partial(
        trials.trials_of, quick=True, runs=args.runs, first=args.first
    )
    chosen = robustness.experiment(args.only, args.datasets)
    jobs = trials_of(chosen, systems, all_graphs=not args.quick)
    if not jobs:
        raise SystemExit(
            f'no data of {", ".join(args.datasets)} for '
            f'{", ".join(args.only)} and {", ".join(systems) or "no system"}'
        )
    path = args.trials / 'trials.jsonl'
    done = trials.read(path)
    make_graphs(
        [job for job in jobs if trials.name_of(job.key) not in done],
        args.trials / 'graphs',
        args.workers,
    )
    trials.run(jobs, path, args.workers)
    done = trials.read(path)
    every = robustness.experiment()
    known = robustness.SYSTEMS + robustness.DEEPROBUST
    shown = trials_of(every, known, all_graphs=True)
    keys = [trials.name_of(trial.key) for trial in shown]
    rows = [done[key] for key in keys if key in done]
    command = command_of(rows, every, args.runs, args.first)
    text = report.write('robustness', every, rows, args.out, command)
    print('\n' + text)


if __name__ == '__main__':
    main()
