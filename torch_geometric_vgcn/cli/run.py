from argparse import Namespace
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.cli.files import (
    about_option,
    check_different,
    check_file,
    edge_columns,
    write_columns,
)
from torch_geometric_vgcn.cli.predictions import (
    predicted_classes,
    predicted_quantities,
)
from torch_geometric_vgcn.datasets.from_table import from_columns
from torch_geometric_vgcn.datasets.read_columns import read_columns
from torch_geometric_vgcn.report import report


def run(args: Namespace) -> str:
    r"""Predicts the missing labels of a table, and writes what was learned.
    Returns what was done, in words.
    """
    if args.quantity and args.report is not None:
        raise ValueError(
            f"--report can't be used with --quantity, got '{args.report}': "
            'reports are about classes'
        )
    if not 0 <= args.seed < 2**32:
        raise ValueError(f'--seed must lie in [0, 2**32 - 1], got {args.seed}')
    given = {'--out': args.out, '--report': args.report, '--model': args.model}
    files = {k: Path(path) for k, path in given.items() if path is not None}
    for option, path in files.items():
        check_file(option, path)
    out = files['--out']
    files['the graph of --out'] = edges = out.with_name(
        f'{out.stem}.edges.csv'
    )
    check_file('the graph of --out', edges)
    check_different({'the table': Path(args.table), **files})
    columns = read_columns(args.table, args.encoding, _option)
    names: list[tuple[str, list[Any]]] = []
    if args.name is not None:
        if args.name not in columns:
            raise ValueError(
                f'--name must be one of the columns {list(columns)}, got '
                f'{args.name!r}'
            )
        names = [(args.name, columns[args.name])]
    data = from_columns(
        columns, args.label, [*args.drop, *(name for name, _ in names)],
        standardize=False, fill=args.fill, option=_option,
    )  # fmt: skip
    predict = predicted_quantities if args.quantity else predicted_classes
    found = predict(data, args.label, args.seed)
    with about_option('--out', out):
        write_columns(out, [*names, *found.columns])
        write_columns(edges, edge_columns(found.estimator.graph_, names))
    lines = [
        found.summary,
        f'Predictions of all rows: {args.out}',
        f'The learned graph (rows count from 0): {edges}',
    ]
    if args.report is not None:
        rows = names[0][1] if names else None
        title = Path(args.table).name
        with about_option('--report', args.report):
            report(found.estimator, args.report, names=rows, title=title)
        lines.append(f'The report, for a browser: {args.report}')
    if args.model is not None:
        with about_option('--model', args.model):
            found.estimator.save(args.model)
        lines.append(f'The model: {args.model}')
    return '\n'.join(lines)


def _option(name: str) -> str:
    r"""What messages call an argument."""
    return f'--{name}'
