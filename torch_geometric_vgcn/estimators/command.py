import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from torch_geometric_vgcn.datasets import from_table
from torch_geometric_vgcn.datasets.read_columns import read_columns
from torch_geometric_vgcn.estimators.classifier import VGCNClassifier
from torch_geometric_vgcn.report import report as write_report
from torch_geometric_vgcn.report.held_out import wilson


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
        seed (int, optional): The seed. (default: :obj:`0`)

    Returns:
        What was done, in words.
    """
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
    known = [data.class_names[c] if c >= 0 else '' for c in data.y.tolist()]
    clf = VGCNClassifier(verbose=True, random_state=seed)
    clf.fit(data.x.numpy(), np.array(known))
    _write(Path(out), *_predictions(clf, label, named))
    edges = Path(out).with_name(f'{Path(out).stem}.edges.csv')
    _write(edges, *_edges(clf.graph_, named))
    lines = [
        _summary(clf),
        f'Predictions of all rows: {out}',
        f'The learned graph (rows count from 0): {edges}',
    ]
    if report is not None:
        names = None if name is None else named[name]
        write_report(clf, report, names=names, title=Path(table).name)
        lines.append(f'The report, for a browser: {report}')
    if model is not None:
        clf.save(model)
        lines.append(f'The model: {model}')
    return '\n'.join(lines)


def _check_folder(path: Path) -> None:
    r"""Expects a file that can be written: training takes minutes."""
    if not path.parent.is_dir():
        raise ValueError(
            f"'{path}' must be in a folder that exists, got '{path.parent}'"
        )


def _predictions(
    clf: VGCNClassifier, label: str, named: dict[str, list[Any]]
) -> tuple[list[str], Iterable[list[Any]]]:
    r"""The names of the columns, and the lines."""
    prob = clf.label_distributions_
    place = prob.argmax(axis=1)
    head = [*named, label, 'predicted', 'confidence']
    head += [f'probability of {kind}' for kind in clf.classes_]
    lines = (
        [
            *(names[row] for names in named.values()),
            clf.classes_[known] if known >= 0 else '',
            clf.classes_[place[row]],
            f'{prob[row, place[row]]:.4f}',
            *(f'{p:.4f}' for p in prob[row]),
        ]
        for row, known in enumerate(clf.labels_)
    )
    return head, lines


def _edges(
    graph: scipy.sparse.csr_array, named: dict[str, list[Any]]
) -> tuple[list[str], Iterable[list[Any]]]:
    r"""The names of the columns, and each edge once, the most probable
    first.
    """
    half = scipy.sparse.triu(graph).tocoo()
    order = np.argsort(-half.data, kind='stable')
    head = ['row', 'other_row', *named, *(f'other_{name}' for name in named)]
    lines = (
        [
            *ends,
            *(names[row] for names in named.values() for row in ends),
            f'{prob:.4f}',
        ]
        for *ends, prob in zip(
            half.row[order].tolist(),
            half.col[order].tolist(),
            half.data[order].tolist(),
            strict=True,
        )
    )
    return [*head, 'probability'], lines


def _write(path: Path, head: list[str], lines: Iterable[list[Any]]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(lines)


def _summary(clf: VGCNClassifier) -> str:
    y, size = clf.labels_, clf.validation_size_
    lines = [
        f'{int((y >= 0).sum())} rows with a label, {int((y < 0).sum())} '
        f'without, {clf.classes_.size} classes.',
        f'Accuracy on {size} labels that were held out: '
        f'{_accuracy(clf.validation_score_, size)}.',
        f'Chosen: {clf.choice_}. Tried:',
    ]
    lines += [
        f'  {trial["setting"]}: {_accuracy(trial["accuracy"], size)}'
        for trial in clf.trials_
    ]
    return '\n'.join(lines)


def _accuracy(share: float, size: int) -> str:
    low, high = wilson(round(share * size), size)
    return (
        f'{100 * share:.1f} % (95 % interval {100 * low:.1f} to '
        f'{100 * high:.1f} %)'
    )
