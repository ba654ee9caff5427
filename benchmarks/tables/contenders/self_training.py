from collections.abc import Iterator

import numpy as np
from problem import Problem
from sklearn import linear_model
from sklearn.semi_supervised import SelfTrainingClassifier

from contenders.logistic_regression import MAX_ITER, LogisticRegression
from contenders.tuned import Setting

#: In tables of more entries, settings are compared before self-training.
MANY = 1_000_000


class SelfTraining(LogisticRegression):
    title = 'SelfTraining'
    what = (
        '`SelfTrainingClassifier(LogisticRegression)`, in tables of more than '
        'a million entries with settings chosen before self-training'
    )

    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        x = problem.features
        base = linear_model.LogisticRegression(**setting, max_iter=MAX_ITER)
        model = SelfTrainingClassifier(base, threshold=0.9, max_iter=5)
        return model.fit(x, y).predict_proba(x[rows])

    def each(
        self, problem: Problem, y: np.ndarray, rows: np.ndarray, seed: int
    ) -> Iterator[np.ndarray]:
        few = np.prod(problem.table.x.shape, dtype=float) <= MANY
        how = self.prob if few else super().prob
        for setting in self.settings:
            yield how(problem, y, rows, setting, seed)
