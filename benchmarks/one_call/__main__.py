r"""One call, on graphs and tables, beside the systems that one would choose
from otherwise.

    python benchmarks/one_call --first 100 --runs 5
    python benchmarks/one_call --first 100 --runs 5 --systems 'one call'
    python benchmarks/one_call --only Cora Texas --quick
    python benchmarks/one_call --first 100 --runs 5 --page

An interrupted run resumes where it stopped; to train a system anew, remove
its lines from one-call.jsonl. The page shows all that has been trained;
--page makes it without training.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.harness.lines import JsonLines
from benchmarks.harness.options import choice, parsed, parser_of
from benchmarks.harness.results import write_page
from benchmarks.one_call.page import parts
from benchmarks.one_call.trials import (
    ON_GRAPHS,
    ON_TABLES,
    Trial,
    systems_of,
)
from benchmarks.paper.cases import Case
from benchmarks.tables.data import Cell
from benchmarks.tables.sources import SOURCES

FIELDS = ('row', 'run', 'system')
GRAPHS = [
    Case(name, graph, split)
    for names, graphs, split in (
        (('CiteSeer', 'Cora'), ('knn', 'true', 'add_5000'), 'half'),
        (('PubMed',), ('knn', 'true', 'add_44324'), 'public'),
        (('Pro-GNN Citeseer',), ('true', 'meta_0.25'), 'public'),
        (('Polblogs',), ('true', 'add_5000'), 'half'),
        (('Texas', 'Chameleon'), ('true',), 'public'),
    )
    for name in names
    for graph in graphs
]
TABLES = [
    Cell(name, share)
    for name, source in SOURCES.items()
    for share in source.shares
    if share != 0.05
]
DATASETS = list(dict.fromkeys(row.dataset for row in (*GRAPHS, *TABLES)))
SYSTEMS = list({**ON_GRAPHS, **ON_TABLES})


def arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, runs=5)
    choice(parser, '--only', 'data sets', DATASETS, default=DATASETS)
    choice(parser, '--systems', 'systems', SYSTEMS, default=SYSTEMS)
    parser.add_argument(
        '--quick',
        action='store_true',
        help="one setting of each system, the one call with effort='quick' "
        'on graphs, and files of their own',
    )
    return parsed(parser)


def main() -> None:
    args = arguments()
    runs = range(args.first, args.first + args.runs)
    name = 'one-call-quick' if args.quick else 'one-call'
    lines = JsonLines(args.trials / f'{name}.jsonl', FIELDS)
    if not args.page:
        trials = [
            Trial(row, run, system, args.quick)
            for run in runs
            for row in (*GRAPHS, *TABLES)
            for system in systems_of(row)
            if row.dataset in args.only
            and system in args.systems
            and run in runs[: 3 if row.dataset == 'PubMed' else None]
        ]
        lines.run(trials, args.workers)
    done = [row for row in lines.read().values() if row['run'] in runs]
    command = f'python benchmarks/one_call --first {args.first}'
    command += f' --runs {args.runs}' + (' --quick' if args.quick else '')
    page = parts(
        done,
        {'Graphs': (GRAPHS, ON_GRAPHS), 'Tables': (TABLES, ON_TABLES)},
        f'`{command}`; the lines are in [{name}.jsonl]({name}.jsonl)',
    )
    write_page(args.out, name, page)


if __name__ == '__main__':
    main()
