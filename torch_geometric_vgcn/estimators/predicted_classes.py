from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.column_features import as_number
from torch_geometric_vgcn.estimators.classifier import VGCNClassifier
from torch_geometric_vgcn.estimators.labels import MANY
from torch_geometric_vgcn.report.held_out import wilson


@dataclass(frozen=True)
class PredictedClasses:
    r"""The missing classes of a table, as the command tells them.

    Args:
        estimator (VGCNClassifier): The fitted estimator.
    """

    estimator: VGCNClassifier

    @classmethod
    def of(cls, data: Data, label: str, seed: int) -> 'PredictedClasses':
        names = data.class_names
        _check_classes(names, int((data.y >= 0).sum()), label)
        y = np.array([names[c] if c >= 0 else '' for c in data.y.tolist()])
        clf = VGCNClassifier(verbose=True, random_state=seed)
        return cls(clf.fit(data.x.numpy(), y))

    def columns(self, label: str) -> list[tuple[str, Sequence[Any]]]:
        r"""The columns of the file of predictions, with their names."""
        clf = self.estimator
        prob = clf.label_distributions_
        known = [clf.classes_[c] if c >= 0 else '' for c in clf.labels_]
        return [
            (label, known),
            ('predicted', clf.transduction_.tolist()),
            ('confidence', _rounded(prob.max(axis=1))),
            *(
                (f'probability of {kind}', _rounded(prob[:, place]))
                for place, kind in enumerate(clf.classes_)
            ),
        ]

    def summary(self) -> str:
        clf = self.estimator
        known, size = clf.labels_ >= 0, clf.validation_size_
        first = (
            f'{int(known.sum())} rows with a label, {int((~known).sum())} '
            f'without, {clf.classes_.size} classes.'
        )
        if size == 0:
            return (
                f'{first}\nNo class has two labels, so none could be held '
                'out: the accuracy is not known.\n'
                f'Not chosen by labels, but the default: {clf.choice_}.'
            )
        lines = [
            first,
            f'Accuracy on {size} labels that were held out: '
            f'{_accuracy(clf.validation_score_, size)}.',
            f'Chosen: {clf.choice_}. Tried:',
        ]
        lines += [
            f'  {trial["setting"]}: {_accuracy(trial["accuracy"], size)}'
            for trial in clf.trials_
        ]
        return '\n'.join(lines)


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
    low, high = wilson(round(share * size), size)
    return (
        f'{100 * share:.1f} % (95 % interval {100 * low:.1f} to '
        f'{100 * high:.1f} %)'
    )
