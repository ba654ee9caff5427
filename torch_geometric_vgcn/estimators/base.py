from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse
import torch
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.datasets.read_csv import check_names
from torch_geometric_vgcn.estimators.as_numpy import as_numpy, canonical
from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.estimators.reach import reach_of, weight_within
from torch_geometric_vgcn.estimators.saved import load_state, save_state
from torch_geometric_vgcn.recipe import (
    VGCN,
    Measurements,
    Member,
    more_neighbors,
    table_members,
)
from torch_geometric_vgcn.recipe.edges import edges_of
from torch_geometric_vgcn.utils import (
    check_count,
    check_flag,
    check_probability,
)

#: The number of rows per step, and of neighbours, unless they are given.
BATCH_SIZE, NEIGHBORS = 512, 10

T = TypeVar('T')


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
        # Of one type and order, or sums of the same numbers would differ. The
        # sum of huge ones, by which they are checked, may overflow.
        with np.errstate(over='ignore', invalid='ignore'):
            rows = validate_data(
                self,
                X,
                accept_sparse='csr',
                dtype=np.float64,
                order='C',
                ensure_min_samples=2 if reset else 1,
                reset=reset,
            )
        return canonical(rows)

    def _learn(self, X: Any, y: Tensor, given: Tensor | None) -> Tensor:  # noqa: N803
        r"""Trains the model. Returns what is expected of all rows."""
        rng = check_random_state(self.random_state)
        feature_seed, seed = (int(rng.randint(2**31 - 1)) for _ in range(2))
        self._options = self._checked(given is not None)
        self._features = Features.of(X, _counts(self.features), feature_seed)
        x = self._features(X)
        self._reach = reach_of(x)
        self.model_ = self._model(x.float(), y, given, seed).fit()
        model = self.model_
        scores = model.scores_
        size = int(model.held_out_.numel())
        self.leaderboard_ = scores.columns()
        self.choice_ = ', '.join(
            f'{name} ({weight:.2f})'
            for name, weight in sorted(
                model.weights_.items(), key=lambda item: -item[1]
            )
            if weight > 0
        )
        named = 'r2' if scores.quantity else 'accuracy'
        self.trials_: list[dict[str, Any]] = [
            {'setting': name, named: score, 'nll': nll}
            for name, score, nll in zip(
                scores.name, scores.accuracy, scores.nll, strict=True
            )
            if size > 0
        ]
        self.validation_size_ = size
        self.validation_rows_ = model.held_out_.numpy()
        self.n_iter_ = self.max_iter
        self.prior_graph_, self.graph_ = _graphs(model)
        self.given_graph_ = None
        if given is not None:
            one = torch.ones(given.size(1), dtype=torch.double)
            self.given_graph_ = _matrix(given, one, x.size(0))
        return model.predict()

    def _checked(self, given: bool) -> dict[str, Any]:
        r"""What members are made with."""
        size, k, trust = self.batch_size, self.n_neighbors, self.trust
        return {
            'batch_size': BATCH_SIZE
            if size == 'auto'
            else check_count(cast(int, size), 'batch_size', 2),
            'hidden': check_count(self.hidden, 'hidden', least=1),
            'steps': check_count(self.max_iter, 'max_iter', least=1),
            'learn': check_flag(self.learn, 'learn'),
            'trust': None
            if trust == 'auto'
            else check_probability(cast(float, trust), 'trust'),
            'k': NEIGHBORS
            if k == 'auto'
            else check_count(cast(int, k), 'n_neighbors', 1),
            'given': given,
        }

    def _members(self) -> list[Member]:
        options = dict(self._options)
        del options['k']
        members = table_members(**options)
        if self.n_neighbors == 'auto':
            return members
        return [m for m in members if more_neighbors not in m.sources]

    def _model(
        self, x: Tensor, y: Tensor, given: Tensor | None, seed: int = 0
    ) -> VGCN:
        return VGCN(
            Data(x=x, y=y, edge_index=given),
            members=self._members(),
            features=Scaled(k=self._options['k']),
            seed=seed,
            progress=bool(self.verbose),
        )

    def _load_model(
        self, path: Path, x: Tensor, y: Tensor, given: Tensor | None
    ) -> VGCN:
        r"""The model that was trained with the same."""
        return VGCN.load(
            path,
            Data(x=x, y=y, edge_index=given),
            members=self._members(),
            features=Scaled(k=self._options['k']),
            progress=False,
        )

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
        save_state(self, path)

    @classmethod
    def load(cls: type[T], path: str | Path) -> T:
        r"""Loads an estimator that :meth:`save` has saved. Nothing in the
        file is executed, and a damaged file is refused.
        """
        return load_state(cls, path)

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
    task = replace(model.task, edge_index=None)
    edges = edges_of(model.learners_, model.weights_, task)
    kept = edges.prior > 0
    index, prob = to_undirected(
        edges.index[:, kept],
        [edges.prior[kept], edges.posterior[kept]],
        model.task.num_nodes,
    )
    size = model.task.num_nodes
    return _matrix(index, prob[0], size), _matrix(index, prob[1], size)


def _matrix(index: Tensor, value: Tensor, size: int) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(
        (value.numpy(), tuple(index.numpy())), shape=(size, size)
    )
