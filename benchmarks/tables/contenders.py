r"""All systems. To add one, add a class and a line at the end."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn import linear_model, semi_supervised
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import SelfTrainingClassifier

from benchmarks.tables.data import WIDTH, Problem
from benchmarks.tables.tuned import Contender, Outcome, Setting, Tuned
from torch_geometric_vgcn.estimators import VGCNClassifier

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


#: In tables of more entries, settings are compared before self-training.
MANY = 120_000
#: How often it is trained with labels of its own.
ROUNDS = 2


class VGCN(Contender):
    title = 'VGCN'
    about = (
        '`VGCNClassifier(random_state=seed)`, which weighs by itself models '
        'without a graph and on graphs of nearest rows'
    )
    #: Whether edges are inferred, or stay at their prior.
    learn: ClassVar[bool] = True

    def solve(self, problem: Problem, seed: int) -> Outcome:
        model = VGCNClassifier(learn=self.learn, random_state=seed)
        model.fit(problem.table.x, problem.y)
        prob = model.label_distributions_[problem.hidden]
        return Outcome(prob, model.choice_, model.trials_)


class FrozenVGCN(VGCN):
    title = 'VGCN frozen'
    about = (
        'the control, `VGCNClassifier(learn=False, random_state=seed)`: the '
        'same members and training, with edges that stay at their prior'
    )
    learn = False


class LabelSpreading(Tuned):
    title = 'LabelSpreading'
    what = "`LabelSpreading(kernel='knn')`"
    settings = tuple(
        {'n_neighbors': k, 'alpha': alpha}
        for k, alpha in ((5, 0.2), (10, 0.2), (20, 0.2), (10, 0.9), (20, 0.9))
    )

    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        k = setting['n_neighbors']
        model = semi_supervised.LabelSpreading(
            # The graph of kernel='knn', which is found once for all splits:
            kernel=lambda x, other: graph_of(problem.nearest[:, :k]),
            alpha=setting['alpha'],
            max_iter=100,
        )
        # Features are only looked at by the kernel:
        model.fit(np.zeros((y.size, 1)), y)
        return model.label_distributions_[rows]


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
        x = problem.dense
        model = _trained(x, y, setting, seed)
        # A tree goes through all rows, so few at a time are faster:
        parts = np.array_split(rows, 1 + rows.size // BLOCK)
        return np.concatenate([model.predict_proba(x[p]) for p in parts])

    def each(
        self, problem: Problem, y: np.ndarray, rows: np.ndarray, seed: int
    ) -> Iterator[np.ndarray]:
        x = problem.dense
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


def graph_of(near: np.ndarray) -> scipy.sparse.csr_matrix:
    r"""The adjacency matrix of nearest rows, as in scikit-learn."""
    n, k = near.shape
    return scipy.sparse.csr_matrix(
        (np.ones(n * k), near.ravel(), np.arange(n + 1) * k), shape=(n, n)
    )


CONTENDERS: dict[str, Contender] = {
    each.title: each()
    for each in (
        VGCN,
        FrozenVGCN,
        LabelSpreading,
        SelfTraining,
        GradientBoosting,
        LogisticRegression,
        NearestNeighbors,
    )
}
