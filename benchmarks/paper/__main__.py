r"""The paper's experiments, with all the systems that it compares.

    python benchmarks/paper --quick            # the headline, half an hour
    python benchmarks/paper --quick --only true variants
    python benchmarks/paper --quick --only adversarial --all-graphs
    python benchmarks/paper --only learning --first 100 --runs 10 --page

An interrupted run resumes where it stopped. Pages and their lines are written
to docs/results/; --page makes them from these lines alone.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.harness.lines import JsonLines
from benchmarks.harness.options import choice, parsed, parser_of
from benchmarks.paper.experiments import EXPERIMENTS
from benchmarks.paper.page import write
from benchmarks.paper.systems import SYSTEMS
from benchmarks.paper.trials import FIELDS, select


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, 'results/paper', runs=3)
    add = parser.add_argument
    add('--quick', action='store_true',
        help='one to three settings for each system (always)')  # fmt: skip
    headline = [name for name, each in EXPERIMENTS.items() if each.headline]
    choice(parser, '--only', 'pages', EXPERIMENTS, default=headline)
    choice(parser, '--systems', 'systems', SYSTEMS)
    add('--all-graphs', action='store_true', help='all graphs of the paper')
    return parsed(parser)


def main() -> None:
    args = arguments()
    runs = range(args.first, args.first + args.runs)
    file = JsonLines(args.trials / 'quick.jsonl', FIELDS)
    jobs = []
    for name in args.only:
        experiment = EXPERIMENTS[name]
        systems = args.systems or experiment.systems
        more = experiment.trials(systems, runs, args.all_graphs)
        if not more:
            raise SystemExit(f"'{name}' has no data for {', '.join(systems)}")
        jobs += more
    if not args.page:
        file.run(jobs, args.workers)
    for name in args.only:
        experiment = EXPERIMENTS[name]
        command = f'python benchmarks/paper --quick --only {name}'
        command += f' --runs {args.runs}' if args.runs != 3 else ''
        command += f' --first {args.first}' if args.first else ''
        if args.all_graphs:
            command, name = f'{command} --all-graphs', f'{name}-all-graphs'
        lines = JsonLines(args.out / f'{name}.jsonl', FIELDS)
        if args.page:
            rows = [*lines.read().values()]
        else:
            # All that has been trained, and further systems if asked for:
            every = (*experiment.systems, *(args.systems or ()))
            systems = [*dict.fromkeys(every)]
            shown = experiment.trials(systems, runs, args.all_graphs)
            rows = select(file.of(shown))
            lines.write(rows)
        write(name, experiment, rows, args.out, command)


if __name__ == '__main__':
    main()
