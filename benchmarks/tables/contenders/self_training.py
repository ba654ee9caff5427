from collections.abc import Iterator

import numpy as np
from problem import Problem
from sklearn.semi_supervised import SelfTrainingClassifier

from contenders.logistic_regression import LogisticRegression, regression
from contenders.tuned import Setting

#: In tables of more entries, settings are compared before self-training.
MANY = 120_000
#: How often it is trained with labels of its own.
ROUNDS = 2


class SelfTraining(LogisticRegression):
    title = 'SelfTraining'
    what = (
        f'`SelfTrainingClassifier(LogisticRegression, max_iter={ROUNDS})`; in '
        f'tables of more than {MANY:,} entries, settings are compared before '
        'self-training'
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
        model = SelfTrainingClassifier(regression(setting), max_iter=ROUNDS)
        return model.fit(x, y).predict_proba(x[rows])

    def each(
        self, problem: Problem, y: np.ndarray, rows: np.ndarray, seed: int
    ) -> Iterator[np.ndarray]:
        few = np.prod(problem.table.x.shape, dtype=float) <= MANY
        how = self.prob if few else super().prob
        for setting in self.settings:
            yield how(problem, y, rows, setting, seed)
