import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from torch_geometric_vgcn.datasets.from_table import from_columns
from torch_geometric_vgcn.datasets.read_columns import read_columns
from torch_geometric_vgcn.estimators.predicted_classes import PredictedClasses
from torch_geometric_vgcn.estimators.predicted_quantities import (
    PredictedQuantities,
)
from torch_geometric_vgcn.report import report as write_report
from torch_geometric_vgcn.utils import (
    check_writable,
    same_file,
    whole_file,
)


def run(
    table: str,
    label: str,
    out: str,
    name: str | None = None,
    drop: Sequence[str] = (),
    report: str | None = None,
    model: str | None = None,
    encoding: str = 'utf-8',
    fill: bool = False,
    quantity: bool = False,
    seed: int = 0,
) -> str:
    r"""Predicts the missing labels of a table, and writes what was learned.

    Args:
        table (str): The CSV or Parquet file.
        label (str): The column of labels.
        out (str): The file of predictions. The learned graph is written
            beside it, as :obj:`<name>.edges.csv`.
        name (str, optional): The column that names the rows; it is no
            feature. (default: :obj:`None`)
        drop (Sequence[str], optional): Columns to leave out.
            (default: :obj:`()`)
        report (str, optional): A page to write for a browser.
            (default: :obj:`None`)
        model (str, optional): A file to save the model to.
            (default: :obj:`None`)
        encoding (str, optional): The encoding of a CSV file.
            (default: :obj:`"utf-8"`)
        fill (bool, optional): Whether features may be missing, as in
            :func:`~torch_geometric_vgcn.datasets.from_table`.
            (default: :obj:`False`)
        quantity (bool, optional): Whether the labels are quantities instead
            of classes. (default: :obj:`False`)
        seed (int, optional): The seed. (default: :obj:`0`)

    Returns:
        What was done, in words.
    """
    if quantity and report is not None:
        raise ValueError(
            f"--report can't be used with --quantity, got '{report}': reports "
            'are about classes'
        )
    if not 0 <= seed < 2**32:
        raise ValueError(f'--seed must lie in [0, 2**32 - 1], got {seed}')
    files = {'--out': Path(out)}
    files |= {
        name: Path(path)
        for name, path in (('--report', report), ('--model', model))
        if path is not None
    }
    for option, path in files.items():
        _check_file(option, path)
    edges = files['--out'].with_name(f'{files["--out"].stem}.edges.csv')
    _check_file('the graph of --out', edges)
    _check_different(
        {'the table': Path(table), **files, 'the graph of --out': edges}
    )
    columns = read_columns(table, encoding, _option)
    named: dict[str, list[Any]] = {}
    if name is not None:
        if name not in columns:
            raise ValueError(
                f'--name must be one of the columns {list(columns)}, got '
                f'{name!r}'
            )
        named[name] = columns[name]
    data = from_columns(
        columns, label, [*drop, *named], standardize=False, fill=fill,
        option=_option,
    )  # fmt: skip
    kind = PredictedQuantities if quantity else PredictedClasses
    found = kind.of(data, label, seed)
    predictions = [*named.items(), *found.columns(label)]
    with _told('--out', out):
        _write(files['--out'], predictions)
        _write(edges, _edges(found.estimator.graph_, named))
    lines = [
        found.summary(),
        f'Predictions of all rows: {out}',
        f'The learned graph (rows count from 0): {edges}',
    ]
    if report is not None:
        names = None if name is None else named[name]
        with _told('--report', report):
            write_report(
                found.estimator, report, names=names, title=Path(table).name
            )
        lines.append(f'The report, for a browser: {report}')
    if model is not None:
        with _told('--model', model):
            found.estimator.save(model)
        lines.append(f'The model: {model}')
    return '\n'.join(lines)


def _option(name: str) -> str:
    r"""What messages call an argument."""
    return f'--{name}'


def _check_file(option: str, path: Path) -> None:
    r"""Expects a file that can be written: training takes minutes."""
    if path.is_dir():
        raise ValueError(f"{option} must be a file, got the folder '{path}'")
    if not path.parent.is_dir():
        raise ValueError(
            f"{option} '{path}' must be in a folder that exists, got "
            f"'{path.parent}'"
        )
    with _told(option, path):
        check_writable(path)


def _check_different(files: Mapping[str, Path]) -> None:
    r"""Expects that no file is written over another one."""
    for (one, first), (two, second) in combinations(files.items(), 2):
        if same_file(first, second):
            raise ValueError(
                f"{two} must be another file than {one}, got '{second}'"
            )


@contextmanager
def _told(option: str, path: str | Path) -> Iterator[None]:
    r"""Says which option an error is about."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{option} must be a file that can be written, got '{path}' "
            f'({error.__cause__ or error})'
        ) from error


def _edges(
    graph: scipy.sparse.csr_array, named: dict[str, list[Any]]
) -> list[tuple[str, Sequence[Any]]]:
    r"""The columns of the file of edges: each edge once, the most probable
    first.
    """
    half = scipy.sparse.triu(graph).tocoo()
    order = np.argsort(-half.data, kind='stable')
    row, col = half.row[order].tolist(), half.col[order].tolist()
    return [
        ('row', row),
        ('other_row', col),
        *((name, [cells[at] for at in row]) for name, cells in named.items()),
        *(
            (f'other_{name}', [cells[at] for at in col])
            for name, cells in named.items()
        ),
        ('probability', [f'{prob:.4f}' for prob in half.data[order]]),
    ]


def _write(path: Path, columns: list[tuple[str, Sequence[Any]]]) -> None:
    with whole_file(path) as file:
        text = TextIOWrapper(file, 'utf-8', newline='')
        writer = csv.writer(text)
        writer.writerow([name for name, _ in columns])
        cells = (column for _, column in columns)
        writer.writerows(zip(*cells, strict=True))
        text.detach()
