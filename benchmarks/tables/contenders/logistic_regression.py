from typing import Any

import numpy as np
import scipy.sparse
from problem import Problem
from sklearn import linear_model

from contenders.tuned import Setting, Tuned


class LogisticRegression(Tuned):
    title = 'LogisticRegression'
    what = '`LogisticRegression` of the labelled rows'
    settings = tuple({'C': c} for c in (0.01, 0.1, 1.0, 10.0, 100.0))

    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        x, train = problem.features, y >= 0
        columns = _used(x[train])
        model = regression(setting).fit(x[train][:, columns], y[train])
        return model.predict_proba(x[rows][:, columns])


def regression(setting: Setting) -> linear_model.LogisticRegression:
    r"""With the solver that is fastest for many columns."""
    return linear_model.LogisticRegression(**setting, solver='newton-cg')


def _used(x: Any) -> Any:
    r"""The columns that matter: words that no row has keep their weight of
    zero, and need not be trained.
    """
    if scipy.sparse.issparse(x):
        return np.unique(x.indices)
    return slice(None)
