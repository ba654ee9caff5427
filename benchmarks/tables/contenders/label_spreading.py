import numpy as np
import scipy.sparse
from problem import Problem
from sklearn import semi_supervised
from sklearn.neighbors import NearestNeighbors

from contenders.tuned import Setting, Tuned

NEIGHBORS = (5, 10, 20)


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
            kernel=lambda x, other: nearest(problem, k),
            alpha=setting['alpha'],
            max_iter=100,
        )
        # Features are only looked at by the kernel:
        model.fit(np.zeros((y.size, 1)), y)
        return model.label_distributions_[rows]


def nearest(problem: Problem, k: int) -> scipy.sparse.csr_matrix:
    r"""The adjacency matrix of the nearest rows, of which each is its own
    first, as in scikit-learn.
    """
    x = problem.features
    most = min(max(NEIGHBORS), x.shape[0])

    def search() -> np.ndarray:
        model = NearestNeighbors(n_neighbors=most, metric=problem.metric)
        return model.fit(x).kneighbors(x, return_distance=False)

    near = problem.once('nearest', search)[:, :k]
    n, k = near.shape
    return scipy.sparse.csr_matrix(
        (np.ones(n * k), near.ravel(), np.arange(n + 1) * k), shape=(n, n)
    )
