import csv
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from scipy.stats import binomtest
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets import from_table
from torch_geometric_vgcn.estimators.classifier import VGCNClassifier


def run(
    table: str,
    label: str,
    out: str,
    drop: Sequence[str] = (),
    model: str | None = None,
    encoding: str = 'utf-8',
    seed: int = 0,
) -> str:
    r"""Predicts the missing labels of a table, and writes what was learned.

    Args:
        table (str): The CSV file.
        label (str): The column of labels.
        out (str): The file of predictions. The learned graph is written
            beside it, as :obj:`<name>.edges.csv`.
        drop (Sequence[str], optional): Columns to leave out.
            (default: :obj:`()`)
        model (str, optional): A file to save the model to.
            (default: :obj:`None`)
        encoding (str, optional): The encoding. (default: :obj:`"utf-8"`)
        seed (int, optional): The seed. (default: :obj:`0`)

    Returns:
        What was done, in words.
    """
    data = from_table(table, label, drop, standardize=False, encoding=encoding)
    y = data.y.numpy()
    clf = VGCNClassifier(verbose=True, random_state=seed)
    clf.fit(data.x.numpy(), y)
    path = Path(out)
    _write(path, *_predictions(clf, data, label))
    edges = path.with_name(f'{path.stem}.edges.csv')
    _write(edges, ['row', 'other_row', 'probability'], _edges(clf.graph_))
    lines = [
        _summary(clf, y),
        f'Predictions of all rows: {path}',
        f'The learned graph (rows count from 0): {edges}',
    ]
    if model is not None:
        clf.save(model)
        lines.append(f'The model: {model}')
    return '\n'.join(lines)


def _predictions(
    clf: VGCNClassifier, data: Data, label: str
) -> tuple[list[str], Iterable[list[Any]]]:
    r"""The names of the columns, and the lines."""
    names = data.class_names
    prob = clf.label_distributions_
    place = prob.argmax(axis=1)
    known = data.y.tolist()
    head = [label, 'predicted', 'confidence']
    head += [f'probability of {name}' for name in names]
    lines = (
        [
            names[known[row]] if known[row] >= 0 else '',
            names[place[row]],
            f'{prob[row, place[row]]:.4f}',
            *(f'{p:.4f}' for p in prob[row]),
        ]
        for row in range(place.size)
    )
    return head, lines


def _edges(graph: scipy.sparse.csr_array) -> Iterable[list[Any]]:
    r"""Each edge once, the most probable first."""
    half = scipy.sparse.triu(graph).tocoo()
    for place in np.argsort(-half.data, kind='stable'):
        prob = half.data[place]
        yield [int(half.row[place]), int(half.col[place]), f'{prob:.4f}']


def _write(path: Path, head: list[str], lines: Iterable[list[Any]]) -> None:
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(lines)


def _summary(clf: VGCNClassifier, y: np.ndarray) -> str:
    size = clf.validation_size_
    hits = round(clf.validation_score_ * size)
    low, high = binomtest(hits, size).proportion_ci(method='wilson')
    lines = [
        f'{int((y >= 0).sum())} rows with a label, {int((y < 0).sum())} '
        f'without, {clf.classes_.size} classes.',
        f'Accuracy on {size} labels that were held out: '
        f'{100 * clf.validation_score_:.1f} % (95 % interval {100 * low:.1f} '
        f'to {100 * high:.1f} %).',
        f'Chosen: {clf.choice_}. Tried:',
    ]
    for trial in clf.trials_:
        error = sqrt(trial['accuracy'] * (1 - trial['accuracy']) / size)
        lines.append(
            f'  {trial["setting"]}: {100 * trial["accuracy"]:.1f} % '
            f'± {100 * error:.1f}'
        )
    return '\n'.join(lines)
