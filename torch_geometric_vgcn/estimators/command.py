import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from torch_geometric_vgcn.datasets import from_table
from torch_geometric_vgcn.datasets.read_columns import read_columns
from torch_geometric_vgcn.estimators.predicted_classes import PredictedClasses
from torch_geometric_vgcn.estimators.predicted_quantities import (
    PredictedQuantities,
)
from torch_geometric_vgcn.report import report as write_report


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
            "'report' must be None with 'quantity', got "
            f'{report!r}: reports are about classes'
        )
    for path in filter(None, (out, report, model)):
        _check_folder(Path(path))
    columns = read_columns(table, encoding)
    named: dict[str, list[Any]] = {}
    if name is not None:
        if name not in columns:
            raise ValueError(
                f"'name' must be one of the columns {list(columns)}, got "
                f'{name!r}'
            )
        named[name] = columns[name]
    data = from_table(
        columns, label, [*drop, *named], standardize=False, fill=fill
    )
    kind = PredictedQuantities if quantity else PredictedClasses
    found = kind.of(data, label, seed)
    _write(Path(out), [*named.items(), *found.columns(label)])
    edges = Path(out).with_name(f'{Path(out).stem}.edges.csv')
    _write(edges, _edges(found.estimator.graph_, named))
    lines = [
        found.summary(),
        f'Predictions of all rows: {out}',
        f'The learned graph (rows count from 0): {edges}',
    ]
    if report is not None:
        names = None if name is None else named[name]
        write_report(
            found.estimator, report, names=names, title=Path(table).name
        )
        lines.append(f'The report, for a browser: {report}')
    if model is not None:
        found.estimator.save(model)
        lines.append(f'The model: {model}')
    return '\n'.join(lines)


def _check_folder(path: Path) -> None:
    r"""Expects a file that can be written: training takes minutes."""
    if not path.parent.is_dir():
        raise ValueError(
            f"'{path}' must be in a folder that exists, got '{path.parent}'"
        )


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
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow([name for name, _ in columns])
        cells = (column for _, column in columns)
        writer.writerows(zip(*cells, strict=True))
