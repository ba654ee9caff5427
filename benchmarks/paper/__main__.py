r"""The paper's experiments, with all the systems that it compares.

    python benchmarks/paper --quick            # the headline, half an hour
    python benchmarks/paper --quick --only low-rank samples
    python benchmarks/paper --quick --only adversarial --all-graphs
    python benchmarks/paper --full             # the paper's grids, days

An interrupted run resumes where it stopped. Tables, box plots and the
underlying results are written to docs/results/.
"""

import argparse
import os
import warnings
from functools import partial

os.environ.setdefault('OMP_NUM_THREADS', '1')
warnings.filterwarnings('ignore', message='Sparse CSR tensor support')

import report  # noqa: E402
import trials  # noqa: E402
from experiments import EXPERIMENTS  # noqa: E402
from options import add_options, parsed  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument('--quick', action='store_true', help='few settings')
    size.add_argument('--full', action='store_true', help="the paper's grids")
    some = {'nargs': '+', 'metavar': 'NAME'}
    add('--only', **some, choices=EXPERIMENTS,
        help=f'some experiments: {", ".join(EXPERIMENTS)}')  # fmt: skip
    add('--systems', **some, choices=trials.by_title(),
        help=f'some systems: {"; ".join(trials.by_title())}')  # fmt: skip
    add('--all-graphs', action='store_true',
        help="all graphs of the paper, also with --quick")  # fmt: skip
    add('--runs', type=int, help='graphs and splits (quick: 3, full: 10)')
    add_options(
        parser, 'results/paper', 'folder of the trials', 'folder of the pages'
    )
    return parsed(parser)


def main() -> None:
    args = arguments()
    names = args.only or [
        name
        for name, experiment in EXPERIMENTS.items()
        if experiment.headline or (args.full and not experiment.further)
    ]
    runs = args.runs or (3 if args.quick else 10)
    trials_of = partial(
        trials.trials_of,
        quick=args.quick,
        runs=runs,
        all_graphs=args.all_graphs,
        first=args.first,
    )
    path = args.trials / f'{"quick" if args.quick else "full"}.jsonl'
    jobs = []
    for name in names:
        experiment = EXPERIMENTS[name]
        systems = args.systems or experiment.systems
        more = trials_of(experiment, systems)
        if not more:
            raise SystemExit(f"'{name}' has no data for {', '.join(systems)}")
        jobs += more
    trials.run(jobs, path, args.workers)
    done = trials.read(path)
    for name in names:
        experiment = EXPERIMENTS[name]
        # All that has been trained, and further systems if asked for:
        systems = dict.fromkeys((*experiment.systems, *(args.systems or ())))
        shown = trials_of(experiment, systems)
        keys = [trials.name_of(trial.key) for trial in shown]
        rows = [done[key] for key in keys if key in done]
        size = '--quick' if args.quick else '--full'
        command = f'python benchmarks/paper {size} --only {name}'
        if args.runs:
            command += f' --runs {runs}'
        if args.first:
            command += f' --first {args.first}'
        if args.all_graphs:
            command += ' --all-graphs'
            name += '-all-graphs'
        text = report.write(name, experiment, rows, args.out, command)
        print('\n' + text)


if __name__ == '__main__':
    main()
