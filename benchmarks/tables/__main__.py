r"""Tables with some labels missing: VGCNClassifier beside scikit-learn.

    python benchmarks/tables --first 100 --runs 10
    python benchmarks/tables --only Wine FARS --systems VGCN KNeighbors
    python benchmarks/tables --memory           # up to a million rows

An interrupted run resumes where it stopped; to train a system anew, remove
its lines from the file of trials. The page, which shows all that has been
trained, and the underlying results are written to docs/results/. Data sets
that aren't there are left out, with a message that says how to get them.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault('OMP_NUM_THREADS', '1')
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / 'paper'))

import memory  # noqa: E402
import tables_page  # noqa: E402
from cell import available, cells  # noqa: E402
from contenders import CONTENDERS  # noqa: E402
from control import CONTROL  # noqa: E402
from json_lines import JsonLines  # noqa: E402
from options import add_options, parsed  # noqa: E402
from results import Results  # noqa: E402
from sources import SOURCES  # noqa: E402
from table_trial import FIELDS, TableTrial  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    some = {'nargs': '+', 'metavar': 'NAME'}
    add('--only', **some, choices=SOURCES,
        help=f'some data sets: {"; ".join(SOURCES)}')  # fmt: skip
    add('--systems', **some, choices=CONTENDERS, default=list(CONTENDERS),
        help=f'some systems: {"; ".join(CONTENDERS)}')  # fmt: skip
    add('--runs', type=int, default=10, help='splits (default: 10)')
    add('--memory', action='store_true',
        help='measure memory and time by number of rows instead')  # fmt: skip
    add('--rows', nargs='+', type=int, metavar='N', default=memory.SIZES,
        help='the numbers of rows of --memory')  # fmt: skip
    add_options(
        parser, 'results/tables', 'folder of the trials', 'folder of the page'
    )
    return parsed(parser)


def main() -> None:
    args = arguments()
    if args.memory:
        systems = [name for name in memory.SYSTEMS if name in args.systems]
        print(memory.write(args.rows, systems, args.out))
        return
    runs = range(args.first, args.first + args.runs)
    lines = JsonLines(args.trials / 'trials.jsonl', FIELDS)
    lines.run(
        [
            TableTrial(cell, run, system)
            for cell in cells(available(args.only))
            for run in runs
            for system in args.systems
        ],
        args.workers,
    )
    rows = [row for row in lines.read().values() if row['run'] in runs]
    trained = {row['system'] for row in rows} - {CONTROL}
    found = {row['dataset'] for row in rows}
    results = Results(
        rows,
        cells([name for name in SOURCES if name in found]),
        [name for name in CONTENDERS if name in trained],
    )
    command = 'python benchmarks/tables'
    command += f' --first {args.first} --runs {args.runs}'
    print('\n' + tables_page.write(results, args.out, command))


if __name__ == '__main__':
    main()
