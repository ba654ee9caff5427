from dataclasses import dataclass

import numpy as np
from torch_geometric.data import Data

from torch_geometric_vgcn.analysis.calibration import wilson
from torch_geometric_vgcn.cli.files import Columns
from torch_geometric_vgcn.datasets.column_features import as_number
from torch_geometric_vgcn.estimators import VGCNClassifier, VGCNRegressor
from torch_geometric_vgcn.estimators.labels import MANY


@dataclass
class Predictions:
    r"""What the command tells of a table with missing labels.

    Args:
        estimator (VGCNClassifier or VGCNRegressor): The fitted estimator.
        columns (List[Tuple[str, Sequence]]): The columns of the file of
            predictions.
        summary (str): What was done, in words.
    """

    estimator: VGCNClassifier | VGCNRegressor
    columns: Columns
    summary: str


def predicted_classes(data: Data, label: str, seed: int) -> Predictions:
    r"""The missing classes of a table."""
    names = data.class_names
    _check_classes(names, int((data.y >= 0).sum()), label)
    y = np.array([names[c] if c >= 0 else '' for c in data.y.tolist()])
    clf = VGCNClassifier(verbose=True, random_state=seed)
    clf.fit(data.x.numpy(), y)
    prob = clf.label_distributions_
    columns = [
        (label, y.tolist()),
        ('predicted', clf.transduction_.tolist()),
        ('confidence', _rounded(prob.max(axis=1))),
    ]
    for place, kind in enumerate(clf.classes_):
        columns.append((f'probability of {kind}', _rounded(prob[:, place])))
    known, size = clf.labels_ >= 0, clf.validation_size_
    lines = [
        f'{int(known.sum())} rows with a label, {int((~known).sum())} '
        f'without, {clf.classes_.size} classes.'
    ]
    if size == 0:
        lines += [
            'No class has two labels, so none could be held out: the accuracy '
            'is not known.',
            f'Not chosen by labels, but the default: {clf.choice_}.',
        ]
    else:
        lines += [
            f'Accuracy on {size} labels that were held out: '
            f'{_accuracy(clf.validation_score_, size)}.',
            f'Chosen: {clf.choice_}. Tried:',
        ]
    lines += [
        f'  {trial["setting"]}: {_accuracy(trial["accuracy"], size)}'
        for trial in clf.trials_
    ]
    return Predictions(clf, columns, '\n'.join(lines))


def predicted_quantities(data: Data, label: str, seed: int) -> Predictions:
    r"""The missing quantities of a table."""
    numbers = [as_number(name) for name in data.class_names]
    if None in numbers:
        raise ValueError(
            f"the label column '{label}' must hold numbers, got "
            f'{data.class_names[numbers.index(None)]!r}'
        )
    y = np.array([*numbers, np.nan], dtype=float)[data.y.numpy()]
    reg = VGCNRegressor(verbose=True, random_state=seed)
    reg.fit(data.x.numpy(), y)
    known = y[~np.isnan(y)]
    lines = [
        f'{known.size} rows with a number, {y.size - known.size} without.',
        f'On {reg.validation_size_} numbers that were held out: R² '
        f'{reg.validation_score_:.3f}, errors with a standard deviation '
        f'of {reg.noise_:.4g} (the numbers: {np.std(known):.4g}).',
        f'Chosen: {reg.choice_}. Tried:',
    ]
    lines += [
        f'  {trial["setting"]}: R² {trial["r2"]:.3f}' for trial in reg.trials_
    ]
    columns = [
        (label, ['' if np.isnan(v) else f'{v:.10g}' for v in y]),
        ('predicted', [f'{v:.10g}' for v in reg.transduction_]),
    ]
    return Predictions(reg, columns, '\n'.join(lines))


def _check_classes(names: list[str], num_labels: int, label: str) -> None:
    r"""Refuses quantities: each would be a class with few labels, or one."""
    numbers = [as_number(name) for name in names]
    if len(names) <= MANY or None in numbers:
        return
    parts = [n for n in numbers if n is not None and not n.is_integer()]
    if parts or 2 * len(names) > num_labels:
        raise ValueError(
            f"the label column '{label}' must hold classes, got "
            f'{len(names)} different numbers in {num_labels} rows, such as '
            f'{names[len(names) // 2]}: set --quantity to predict numbers, '
            'or put a letter before each if they are classes'
        )


def _rounded(probs: np.ndarray) -> list[str]:
    return [f'{prob:.4f}' for prob in probs]


def _accuracy(share: float, size: int) -> str:
    low, high = wilson(share, size)
    return (
        f'{100 * share:.1f} % (95 % interval {100 * low:.1f} to '
        f'{100 * high:.1f} %)'
    )
