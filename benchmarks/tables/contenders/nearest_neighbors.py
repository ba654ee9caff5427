import numpy as np
from problem import Problem
from sklearn.neighbors import KNeighborsClassifier

from contenders.tuned import Setting, Tuned


class NearestNeighbors(Tuned):
    title = 'KNeighbors'
    what = '`KNeighborsClassifier` of the labelled rows'
    settings = (
        {'n_neighbors': 1, 'weights': 'uniform'},
        {'n_neighbors': 5, 'weights': 'uniform'},
        {'n_neighbors': 5, 'weights': 'distance'},
        {'n_neighbors': 15, 'weights': 'uniform'},
        {'n_neighbors': 15, 'weights': 'distance'},
    )

    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        x, train = problem.features, y >= 0
        k = min(setting['n_neighbors'], int(train.sum()))
        model = KNeighborsClassifier(
            k, weights=setting['weights'], metric=problem.metric
        )
        return model.fit(x[train], y[train]).predict_proba(x[rows])
