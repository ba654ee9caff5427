r"""Attacks on the graph and the features, and what they cost each system.

    python benchmarks/robustness --quick      # without and with most changes
    python benchmarks/robustness              # all budgets
    python benchmarks/robustness --only meta nettack
    python benchmarks/robustness --datasets CiteSeer Cora --runs 5
    python benchmarks/robustness --page

Attacked graphs are made once and kept, and an interrupted run resumes where
it stopped. The page, which shows all that has been trained, and its lines are
written to docs/results/; --page makes it from these lines alone.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tqdm import tqdm

from benchmarks.harness.lines import JsonLines, one_thread_each
from benchmarks.harness.options import choice, parsed, parser_of
from benchmarks.harness.results import write_page
from benchmarks.paper import attacks
from benchmarks.paper.systems import SYSTEMS as ALL
from benchmarks.paper.trials import FIELDS, Trial, select
from benchmarks.robustness.attacks import ATTACKS, CITATIONS, PROGNN, SERIES
from benchmarks.robustness.page import SYSTEMS, parts


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, 'results/robustness', runs=3)
    names = PROGNN + CITATIONS
    parser.add_argument('--quick', action='store_true',
        help='only without an attack and with the largest budget')  # fmt: skip
    choice(parser, '--only', 'attacks', ATTACKS, default=[*ATTACKS])
    choice(parser, '--datasets', 'data sets', names, default=names)
    choice(parser, '--systems', 'systems', SYSTEMS, default=SYSTEMS)
    return parsed(parser)


def trials_of(args: argparse.Namespace) -> list[Trial]:
    cases = [
        case
        for series in SERIES
        if series.attack in args.only and series.dataset in args.datasets
        for case in (series.cases[:: len(series.cases) - 1] if args.quick
                     else series.cases)
    ]  # fmt: skip
    return [
        Trial(case, run, name, settings)
        for run in range(args.first, args.first + args.runs)
        for case in dict.fromkeys(cases)
        for name in args.systems
        for settings in ALL[name].settings
    ]


def make_graphs(trials: list[Trial], folder: Path, workers: int) -> None:
    r"""Makes the attacked graphs that trials need and the folder lacks, each
    once, before several trials would make the same one.
    """
    os.environ[attacks.FOLDER] = str(folder.resolve())
    wanted = dict.fromkeys(
        (trial.case, trial.run)
        for trial in trials
        if trial.case.attack in attacks.ATTACKS
        and trial.case.attack != 'words'
    )
    if not wanted:
        return
    with one_thread_each(workers) as pool:
        jobs = [pool.submit(case.load, run) for case, run in wanted]
        for job in tqdm(jobs, desc='attacked graphs'):
            job.result()


def main() -> None:
    args = arguments()
    lines = JsonLines(args.out / 'robustness.jsonl', FIELDS)
    if not args.page:
        jobs = trials_of(args)
        if not jobs:
            raise SystemExit(
                f'no data of {", ".join(args.datasets)} for '
                f'{", ".join(args.only)}'
            )
        file = JsonLines(args.trials / 'trials.jsonl', FIELDS)
        missing = file.missing(jobs)
        make_graphs(missing, args.trials / 'graphs', args.workers)
        file.run(jobs, args.workers)
        lines.write(select([*file.read().values()]))
    rows = [*lines.read().values()]
    write_page(
        args.out, 'robustness', parts(rows, 'python benchmarks/robustness')
    )


if __name__ == '__main__':
    main()
