from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.read_csv import check_names
from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.estimators.reach import (
    reach_of,
    weight_among,
    weight_within,
)
from torch_geometric_vgcn.estimators.rows import (
    as_numpy,
    canonical,
    given_graph,
    row_names,
)
from torch_geometric_vgcn.recipe import (
    VGCN,
    Measurements,
    more_neighbors,
    table_members,
)
from torch_geometric_vgcn.recipe.edges import edges_of_members
from torch_geometric_vgcn.recipe.saved import model_of, state_of
from torch_geometric_vgcn.recipe.weights import ranked
from torch_geometric_vgcn.utils import (
    check_count,
    check_flag,
    check_path,
    check_probability,
)
from torch_geometric_vgcn.utils.plain_file import read_plain, write_plain

#: The number of rows per step, and of neighbours, unless they are given.
BATCH_SIZE, NEIGHBORS = 512, 10
#: With more rows than this, no member has twice as many neighbours, which
#: would take twice the memory of all others.
LARGE = 200_000

T = TypeVar('T', bound='VGCNEstimator')


@dataclass(frozen=True)
class Scaled(Measurements):
    r"""Features that are scaled already."""

    def scaler(self, x: Tensor) -> Any:
        return as_they_are


def as_they_are(x: Tensor) -> Tensor:
    return x


class VGCNEstimator(BaseEstimator):
    r"""What :class:`VGCNClassifier` and :class:`VGCNRegressor` have in
    common.
    """

    def __init__(
        self,
        trust: float | str = 'auto',
        n_neighbors: int | str = 'auto',
        features: str = 'auto',
        learn: bool = True,
        hidden: int = 256,
        max_iter: int = 400,
        batch_size: int | str = 'auto',
        verbose: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.trust = trust
        self.n_neighbors = n_neighbors
        self.features = features
        self.learn = learn
        self.hidden = hidden
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.random_state = random_state

    def _table(self, X: Any, graph: Any) -> tuple[Any, Tensor | None]:  # noqa: N803
        r"""The rows to learn from, and the edges of their graph, if any."""
        names = row_names(X)
        X = self._validated(X, reset=True)  # noqa: N806
        return X, given_graph(graph, X.shape[0], names)

    def _validated(self, X: Any, reset: bool) -> Any:  # noqa: N803
        if isinstance(X, Tensor):
            X = as_numpy(X.detach().cpu())  # noqa: N806
        if np.ma.is_masked(X):
            raise ValueError(
                "'X' must hold a number in each cell, got a masked array that "
                'hides some: fill them, as by SimpleImputer'
            )
        if hasattr(X, 'columns'):
            check_names(map(str, X.columns), 'X')
        # Of one type and order, or sums of the same numbers would differ:
        rows = validate_data(
            self,
            X,
            accept_sparse='csr',
            dtype=np.float64,
            order='C',
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )
        values = rows.data if scipy.sparse.issparse(rows) else rows
        bad = values.size - np.count_nonzero(np.isfinite(values))
        if bad > 0:
            raise ValueError(
                f"'X' must be finite, got {bad} NaN or infinite values: fill "
                'them, as by SimpleImputer'
            )
        return canonical(rows)

    def _learn(
        self,
        X: Any,  # noqa: N803
        y: Tensor,
        given: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        r"""Trains the model. Returns what is expected of all rows, and its
        weight.
        """
        rng = check_random_state(self.random_state)
        feature_seed, seed = (int(rng.randint(2**31 - 1)) for _ in range(2))
        parts = self._parts(given is not None, X.shape[0])
        self._features = Features.of(X, _counts(self.features), feature_seed)
        x = self._features(X)
        self._reach = reach_of(x)
        self.model_ = model = VGCN(
            Data(x=x.float(), y=y, edge_index=given),
            seed=seed,
            progress=bool(self.verbose),
            **parts,
        ).fit()
        self.leaderboard_ = ranked(model.scores_)
        self.choice_ = ', '.join(
            f'{name} ({weight:.2f})'
            for name, weight in sorted(
                model.weights_.items(), key=lambda item: -item[1]
            )
            if weight > 0
        )
        named = 'r2' if model.task.quantity else 'accuracy'
        self.validation_size_ = int(model.held_out_.numel())
        self.validation_rows_ = model.held_out_.numpy()
        self.trials_: list[dict[str, Any]] = [
            {'setting': name, named: score.accuracy, 'nll': score.nll}
            for name, score in model.scores_.items()
            if self.validation_size_ > 0
        ]
        self.n_iter_ = self.max_iter
        self.prior_graph_, self.graph_ = _graphs(model)
        self.given_graph_ = None
        if given is not None:
            self.given_graph_ = scipy.sparse.csr_array(
                (np.ones(given.size(1)), tuple(given.numpy())),
                shape=(x.size(0), x.size(0)),
            )
        return model.predict(), weight_among(x)

    def _parts(self, given: bool, num_rows: int) -> dict[str, Any]:
        r"""The members and features of the model."""
        size, k, trust = self.batch_size, self.n_neighbors, self.trust
        if size == 'auto':
            size = BATCH_SIZE
        if trust != 'auto':
            trust = check_probability(cast(float, trust), 'trust')
        members = table_members(
            given,
            None if trust == 'auto' else cast(float, trust),
            learn=check_flag(self.learn, 'learn'),
            hidden=self.hidden,
            steps=check_count(self.max_iter, 'max_iter', least=1),
            batch_size=size,
        )
        if k != 'auto' or num_rows > LARGE:
            members = [m for m in members if more_neighbors not in m.sources]
        if k == 'auto':
            k = NEIGHBORS
        k = check_count(cast(int, k), 'n_neighbors', least=1)
        return {'members': members, 'features': Scaled(k=k)}

    def _expected(self, X: Any) -> tuple[Tensor, Tensor]:  # noqa: N803
        r"""What is expected of unseen rows, and its weight; rows that are far
        from all others have a small one.
        """
        check_is_fitted(self)
        x = self._features(self._validated(X, reset=False))
        weight = weight_within(x, self._reach)
        return self.model_.predict(weight * x), weight

    def save(self, path: str | Path) -> None:
        r"""Saves the fitted estimator as plain arrays with a checksum. A
        :class:`~numpy.random.RandomState` as :obj:`random_state` becomes
        :obj:`None`.
        """
        check_is_fitted(self)
        path = check_path(path, 'path')
        params, model = self.get_params(), self.model_
        apart = {*params, 'model_', '_features'}
        if isinstance(self.random_state, np.random.RandomState):
            params['random_state'] = None  # training has changed it
        state = {
            'params': params,
            'fitted': {k: v for k, v in vars(self).items() if k not in apart},
            'features': vars(self._features),
            'x': model.task.x,
            'y': model.task.y,
            'edge_index': model.task.edge_index,
            'model': state_of(
                model, model.runs_, model.scores_, model.held_out_
            ),
        }
        write_plain(path, type(self).__name__, state)

    @classmethod
    def load(cls: type[T], path: str | Path) -> T:
        r"""Loads an estimator that :meth:`save` has saved. Nothing in the
        file is executed, and a damaged file is refused.
        """
        path = check_path(path, 'path')
        state = read_plain(path, cls.__name__)
        estimator = cls(**state['params'])
        for name, value in state['fitted'].items():
            setattr(estimator, name, value)
        estimator._features = Features(**state['features'])
        given = state['edge_index']
        estimator.model_ = model_of(
            VGCN,
            state['model'],
            path,
            Data(x=state['x'], y=state['y'], edge_index=given),
            progress=False,
            **estimator._parts(given is not None, state['x'].size(0)),
        )
        return estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _counts(features: str) -> bool | None:
    kinds = {'auto': None, 'counts': True, 'measurements': False}
    if features not in kinds:
        raise ValueError(
            f"'features' must be one of {', '.join(kinds)}, got {features!r}"
        )
    return kinds[features]


def _graphs(
    model: VGCN,
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    r"""The edges' probabilities before and after learning, as the members
    have them, also those of a given graph.
    """
    edges = edges_of_members(model.learners_, model.weights_, model.task)
    kept = edges.prior > 0
    place = _matrix(edges.index[:, kept], model.task.num_nodes)
    prior, after = place.copy(), place.copy()
    prior.data = edges.prior[kept].numpy()[place.data]
    after.data = edges.posterior[kept].numpy()[place.data]
    return prior, after


def _matrix(index: Tensor, size: int) -> scipy.sparse.csr_array:
    r"""The numbers of edges, in both directions."""
    i, j = index.int().numpy()
    number = np.arange(i.size)
    return scipy.sparse.csr_array(
        (np.tile(number, 2), (np.append(i, j), np.append(j, i))), (size, size)
    )
