from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse
from problem import Problem
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier

from contenders.tuned import Setting, Tuned

#: The number of features that sparse ones are reduced to.
WIDTH = 100
#: What trees are like: large ones, or small ones that rare classes don't
#: make diverge.
SHAPES = (
    {
        'learning_rate': 0.2,
        'max_leaf_nodes': 31,
        'min_samples_leaf': 20,
        'l2_regularization': 0.0,
    },
    {
        'learning_rate': 0.1,
        'max_leaf_nodes': 7,
        'min_samples_leaf': 5,
        'l2_regularization': 1.0,
    },
)
#: Numbers of iterations, all of which one training tells about.
ITERATIONS = (12, 25, 50)
#: The number of rows that are predicted at a time.
BLOCK = 2000


class GradientBoosting(Tuned):
    title = 'HistGradientBoosting'
    what = (
        '`HistGradientBoostingClassifier` of the labelled rows; sparse '
        f'features reduced by `TruncatedSVD({WIDTH})` of all rows'
    )
    settings = tuple(
        {**shape, 'max_iter': iterations}
        for shape in SHAPES
        for iterations in ITERATIONS
    )

    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        x = _dense(problem)
        model = _trained(x, y, setting, seed)
        # A tree goes through all rows, so few at a time are faster:
        parts = np.array_split(rows, 1 + rows.size // BLOCK)
        return np.concatenate([model.predict_proba(x[p]) for p in parts])

    def each(
        self, problem: Problem, y: np.ndarray, rows: np.ndarray, seed: int
    ) -> Iterator[np.ndarray]:
        x = _dense(problem)
        for setting in self.settings:
            if setting['max_iter'] == max(ITERATIONS):
                model = _trained(x, y, setting, seed)
                stages = enumerate(model.staged_predict_proba(x[rows]), 1)
                yield from (p for count, p in stages if count in ITERATIONS)


def _trained(
    x: np.ndarray, y: np.ndarray, setting: Setting, seed: int
) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        **setting, early_stopping=False, random_state=seed
    )
    return model.fit(x[y >= 0], y[y >= 0])


def _dense(problem: Problem) -> Any:
    x = problem.table.x
    if not scipy.sparse.issparse(x):
        return x
    reduced = TruncatedSVD(WIDTH, random_state=0)
    return problem.once('reduced', lambda: reduced.fit_transform(x))
