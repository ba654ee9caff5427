from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from torch_geometric_vgcn.datasets.missing import is_missing
from torch_geometric_vgcn.estimators.labels import (
    MANY,
    column_or_1d,
    unknown,
)
from torch_geometric_vgcn.estimators.regressor import r2
from torch_geometric_vgcn.utils import check_count, check_flag


class LabelledKFold:
    r"""Folds for data with unknown labels: rows with a class are split as by
    :class:`~sklearn.model_selection.StratifiedKFold`, rows with a quantity as
    by :class:`~sklearn.model_selection.KFold`; rows without one are always in
    the training set, never in a test set, where nothing could be compared
    with them. Missing values (NaN, :obj:`None`, :obj:`pandas.NA`) are unknown,
    and so are :obj:`-1` and an empty text beside classes. :obj:`-1` is a
    quantity like any other.

    .. code-block:: python

        cross_val_score(clf, X, y, cv=LabelledKFold(5))
        GridSearchCV(clf, {'n_neighbors': [10, 20]}, cv=LabelledKFold(5))
        cross_val_score(reg, X, y, cv=LabelledKFold(5, quantity=True))

    Args:
        n_splits (int, optional): The number of folds. (default: :obj:`5`)
        shuffle (bool, optional): Whether to shuffle the rows.
            (default: :obj:`True`)
        random_state (int, optional): The seed. (default: :obj:`None`)
        quantity (bool, optional): Whether the labels are quantities instead
            of classes. Scikit-learn doesn't tell folds which estimator they
            are for. By default, numbers with decimals are quantities, and
            texts and whole numbers are classes; whole numbers that don't look
            like classes are refused: negative ones other than :obj:`-1`, and
            more than 20 different ones of which most occur once.
            (default: :obj:`None`)
    """

    def __init__(
        self,
        n_splits: int = 5,
        shuffle: bool = True,
        random_state: int | None = None,
        quantity: bool | None = None,
    ) -> None:
        self.n_splits = check_count(n_splits, 'n_splits', least=2)
        self.shuffle = check_flag(shuffle, 'shuffle')
        check_random_state(random_state)
        self.random_state = random_state
        if quantity is not None:
            quantity = check_flag(quantity, 'quantity')
        self.quantity = quantity

    def split(
        self,
        X: Any,  # noqa: N803
        y: Any,
        groups: Any = None,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        r"""Yields the rows of the training and of the test set."""
        y = column_or_1d(y)
        if _num_samples(X) != y.shape[0]:
            raise ValueError(
                f"'y' must have one label for each of the {_num_samples(X)} "
                f"rows of 'X', got {y.shape[0]}"
            )
        missing = np.array([is_missing(value) for value in y])
        quantity = self.quantity
        if quantity is None:
            quantity = _are_quantities(y[~missing])
        split: type[KFold | StratifiedKFold] = KFold
        if not quantity:
            missing, split = unknown(y), StratifiedKFold
        rest, rows = np.flatnonzero(missing), np.flatnonzero(~missing)
        if rows.size < self.n_splits:
            raise ValueError(
                f"'y' must have at least n_splits={self.n_splits} known "
                f'labels, got {rows.size}'
            )
        folds = split(
            self.n_splits,
            shuffle=self.shuffle,
            random_state=self.random_state if self.shuffle else None,
        )
        known = np.array(y[rows].tolist())  # of a type that fits all
        for train, test in folds.split(rows, known):
            yield np.sort(np.concatenate([rest, rows[train]])), rows[test]

    def get_n_splits(
        self,
        X: Any = None,  # noqa: N803
        y: Any = None,
        groups: Any = None,
    ) -> int:
        return self.n_splits

    def __repr__(self) -> str:
        return f'{type(self).__name__}(n_splits={self.n_splits})'


def _are_quantities(y: np.ndarray) -> bool:
    r"""Whether labels are numbers with decimals instead of classes. Whole
    numbers that don't look like classes are refused.
    """
    numbers = np.array(y.tolist())
    if numbers.dtype.kind not in 'iuf':
        return False
    if numbers.dtype.kind == 'f':
        huge = np.abs(numbers) > 2.0**53  # where no number has decimals
        if (huge | (numbers % 1 != 0)).any():
            return True
    found = np.setdiff1d(numbers, -1)
    count = int((numbers != -1).sum())
    if (found < -1).any() or MANY < found.size > count / 2:
        raise ValueError(
            "'quantity' must be True if the labels in 'y' are quantities and "
            f'False if they are classes, got None and {found.size} different '
            f'whole numbers in {count} rows, such as {found[0]:g}'
        )
    return False


def transductive_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    graph: Any = None,
    cv: LabelledKFold | None = None,
) -> np.ndarray:
    r"""The accuracy of :obj:`transduction_` in each fold, or its :math:`R^2`
    for a regressor: all rows, and the whole graph, are there in training; only
    the labels of the test rows are hidden. This is how the estimator is used
    if the rows to predict are known beforehand.

    Args:
        estimator (VGCNClassifier or VGCNRegressor): The estimator, which
            isn't changed.
        X (array or sparse matrix): The features.
        y (array): The labels, missing where unknown; :obj:`-1` is unknown
            beside classes.
        graph (optional): The graph of :meth:`VGCNClassifier.fit`.
            (default: :obj:`None`)
        cv (LabelledKFold, optional): The folds, of quantities for a
            regressor and of classes otherwise.
            (default: :obj:`LabelledKFold(5, random_state=0)`)
    """
    y = column_or_1d(y)
    quantity = is_regressor(estimator)
    score = r2 if quantity else accuracy_score
    cv = LabelledKFold(random_state=0) if cv is None else cv
    if isinstance(cv, LabelledKFold):
        cv = LabelledKFold(cv.n_splits, cv.shuffle, cv.random_state, quantity)
    scores = []
    for _, test in cv.split(X, y):
        hidden = y.astype(object)
        hidden[test] = None
        fitted = clone(estimator).fit(X, hidden, graph=graph)
        truth = y[test].tolist()  # of a type that fits all
        scores.append(score(truth, fitted.transduction_[test]))
    return np.array(scores)
