r"""One call, on graphs and tables, beside the systems that one would choose
from otherwise.

    python benchmarks/one_call --first 100 --runs 5
    python benchmarks/one_call --first 100 --runs 5 --systems 'one call'
    python benchmarks/one_call --only Cora Texas --quick

An interrupted run resumes where it stopped; to train a system anew, remove
its lines from one-call.jsonl. The page shows all that has been trained.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault('OMP_NUM_THREADS', '1')
warnings.filterwarnings('ignore', message='Sparse CSR tensor support')
FOLDER = Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(FOLDER / 'tables'), str(FOLDER / 'paper')]

import graph_trial  # noqa: E402
import one_call_page  # noqa: E402
import table_line  # noqa: E402
from cases import Case  # noqa: E402
from cell import Cell  # noqa: E402
from graph_trial import GraphTrial  # noqa: E402
from json_lines import JsonLines  # noqa: E402
from options import add_options, parsed  # noqa: E402
from sources import SOURCES  # noqa: E402
from table_line import TableLine  # noqa: E402

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
SYSTEMS = list({**graph_trial.SYSTEMS, **table_line.SYSTEMS})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    some = {'nargs': '+', 'metavar': 'NAME'}
    add('--only', **some, choices=DATASETS, default=DATASETS,
        help=f'some data sets: {"; ".join(DATASETS)}')  # fmt: skip
    add('--systems', **some, choices=SYSTEMS, default=SYSTEMS,
        help=f'some systems: {"; ".join(SYSTEMS)}')  # fmt: skip
    add('--runs', type=int, default=5, help='splits (default: 5)')
    add('--quick', action='store_true',
        help="one setting of each system, the one call with effort='quick' "
        'on graphs, and files of their own')  # fmt: skip
    add_options(
        parser, 'docs/results', 'folder of the trials', 'folder of the page'
    )
    return parsed(parser)


def main() -> None:
    args = arguments()
    runs = range(args.first, args.first + args.runs)
    trials = [
        kind(row, run, system, args.quick)
        for run in runs
        for kind, rows, systems_of in (
            (GraphTrial, GRAPHS, graph_trial.systems_of),
            (TableLine, TABLES, lambda _: table_line.SYSTEMS),
        )
        for row in rows
        for system in systems_of(row)
        if row.dataset in args.only
        and system in args.systems
        and run in runs[: 3 if row.dataset == 'PubMed' else None]
    ]
    name = 'one-call-quick' if args.quick else 'one-call'
    lines = JsonLines(args.trials / f'{name}.jsonl', FIELDS)
    lines.run(trials, args.workers)
    done = [row for row in lines.read().values() if row['run'] in runs]
    command = f'python benchmarks/one_call --first {args.first}'
    command += f' --runs {args.runs}' + (' --quick' if args.quick else '')
    text = one_call_page.text(
        done,
        {
            'Graphs': (GRAPHS, graph_trial.SYSTEMS),
            'Tables': (TABLES, table_line.SYSTEMS),
        },
        f'`{command}`; the lines are in [{name}.jsonl]({name}.jsonl)',
    )
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f'{name}.md').write_text(text + '\n')
    print('\n' + text)


if __name__ == '__main__':
    main()
