r"""Tables with some labels missing: VGCNClassifier beside scikit-learn.

    python benchmarks/tables --first 100 --runs 10
    python benchmarks/tables --only Wine FARS --systems VGCN KNeighbors
    python benchmarks/tables --first 100 --runs 10 --page

An interrupted run resumes where it stopped; to train a system anew, remove
its lines from the file of trials. The page, which shows all that has been
trained, and its lines are written to docs/results/; --page makes it from
these lines alone. Data sets that aren't there are left out, with a message
that says how to get them.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.harness.lines import JsonLines
from benchmarks.harness.options import choice, parsed, parser_of
from benchmarks.harness.results import Results, write_page
from benchmarks.tables.contenders import CONTENDERS
from benchmarks.tables.data import Cell, available, cells
from benchmarks.tables.page import parts
from benchmarks.tables.sources import SOURCES
from benchmarks.tables.trial import FIELDS, TableTrial


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, 'results/tables', runs=10)
    choice(parser, '--only', 'data sets', SOURCES)
    choice(parser, '--systems', 'systems', CONTENDERS, default=[*CONTENDERS])
    return parsed(parser)


def main() -> None:
    args = arguments()
    runs = range(args.first, args.first + args.runs)
    lines = JsonLines(args.out / 'tables.jsonl', FIELDS)
    if not args.page:
        trials = JsonLines(args.trials / 'trials.jsonl', FIELDS)
        jobs = [
            TableTrial(cell, run, system)
            for cell in cells(available(args.only))
            for run in runs
            for system in args.systems
        ]
        trials.run(jobs, args.workers)
        done = trials.read().values()
        lines.write(row for row in done if row['run'] in runs)
    rows = [*lines.read().values()]
    datasets, systems = (
        {row[name] for row in rows} for name in ('dataset', 'system')
    )
    results = Results(
        rows,
        cells([name for name in SOURCES if name in datasets]),
        [name for name in CONTENDERS if name in systems],
        Cell.of,
    )
    command = 'python benchmarks/tables'
    command += f' --first {args.first} --runs {args.runs}'
    write_page(args.out, 'tables', parts(results, command))


if __name__ == '__main__':
    main()
