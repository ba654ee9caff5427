from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse
import torch
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch_geometric.utils import to_undirected

from torch_geometric_vgcn.checks import (
    check_count,
    check_flag,
    check_probability,
)
from torch_geometric_vgcn.datasets.read_csv import check_names
from torch_geometric_vgcn.estimators.alternation import (
    Alternation,
    Explained,
)
from torch_geometric_vgcn.estimators.as_numpy import as_numpy, canonical
from torch_geometric_vgcn.estimators.choice import (
    ROUNDS,
    Choice,
    Chooser,
    Parts,
    unchosen,
)
from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.estimators.network import DEFAULT, REGULARIZATIONS
from torch_geometric_vgcn.estimators.reach import reach_of, weight_within
from torch_geometric_vgcn.estimators.saved import load_state, save_state
from torch_geometric_vgcn.estimators.served import served
from torch_geometric_vgcn.estimators.settings import (
    Given,
    Nearest,
    NoGraph,
    Setting,
)
from torch_geometric_vgcn.estimators.targets import Targets
from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.progress import progress_bar

#: The number of rows per step, unless it is given.
BATCH_SIZE = 512

T = TypeVar('T')


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

    def _task(
        self,
        X: Any,  # noqa: N803
        targets: Targets,
        given: Tensor | None,
        rng: np.random.RandomState,
    ) -> Task:
        size = BATCH_SIZE
        if self.batch_size != 'auto':
            size = check_count(cast(int, self.batch_size), 'batch_size', 2)
        most = 20
        if self.n_neighbors != 'auto':
            most = cast(int, self.n_neighbors)
        seed = int(rng.randint(2**31 - 1))
        self._features = Features.of(X, _counts(self.features), seed)
        x = self._features(X)
        self._reach = reach_of(x)
        return Task(
            x.float(),
            targets,
            check_count(self.hidden, 'hidden', least=1),
            check_count(self.max_iter, 'max_iter', least=1),
            size,
            given,
            most,
            bool(self.verbose),
        )

    def _settings(self, given: bool) -> Sequence[Setting]:
        r"""What to choose from. A given graph may be of no use, so all that
        could be chosen without it can be chosen beside it.
        """
        many: Sequence[int] = (10, 20)
        if self.n_neighbors != 'auto':
            many = [check_count(cast(int, self.n_neighbors), 'n_neighbors', 1)]
        fixed = self.trust != 'auto'
        trust: Sequence[float] = (0.1, 0.5, 0.99)
        if fixed:
            trust = [check_probability(cast(float, self.trust), 'trust')]
        near = Nearest(many[-1], 0.5)
        if fixed and given:
            return [Given(trust[0], 0.0, near)]
        own: list[Setting] = [] if fixed else [NoGraph()]
        own += [Nearest(many[0], rho1) for rho1 in trust[:-1]]
        own += [Nearest(k, trust[-1]) for k in many]
        if given:
            own += [
                Given(rho1, weight, near, both)
                for both in (False, True)
                for rho1, weight in ((0.99, 0.0), (0.5, 4.0))
            ]
        return own

    def _default(self, given: bool) -> Setting:
        r"""The setting if no label can choose one."""
        trust, k = 0.5, 10
        if self.trust != 'auto':
            trust = check_probability(cast(float, self.trust), 'trust')
        if self.n_neighbors != 'auto':
            k = check_count(cast(int, self.n_neighbors), 'n_neighbors', 1)
        near = Nearest(k, trust)
        return Given(trust, 0.0, near) if given else near

    def _learn(
        self,
        task: Task,
        given: bool,
        parts: Parts,
        rng: np.random.RandomState,
    ) -> tuple[Choice, Explained]:
        r"""Chooses, then learns with all labels."""
        settings = self._settings(given) if parts else []
        learn = check_flag(self.learn, 'learn')
        steps = 1
        if parts:
            steps += len(REGULARIZATIONS) + len(settings) + ROUNDS
        task.generator.manual_seed(int(rng.randint(2**31 - 1)))
        with progress_bar(
            total=steps,
            disable=not self.verbose,
            desc=type(self).__name__,
        ) as bar:

            def tell(what: str) -> None:
                bar.set_postfix_str(what, refresh=False)
                bar.update()

            if parts:
                chooser = Chooser(task, parts, learn, tell)
                choice = chooser.choose(REGULARIZATIONS, settings)
            else:
                setting = self._default(given)
                choice = unchosen(task, DEFAULT, setting, learn)
            tell('all labels')
            known = task.targets.known.nonzero().view(-1)
            last = Alternation(task, known)
            state = last.start(choice.regularization)
            state = last.infer(state, choice.field)
            for _ in range(choice.rounds):
                state = last.teach(state, choice.field)
        self.choice_ = choice.name
        self.trials_ = choice.trials
        self.validation_score_ = choice.score
        self.validation_size_ = choice.held.numel()
        self.validation_rows_ = choice.held.numpy()
        self.n_iter_ = task.steps * (1 + choice.rounds)
        self.prior_graph_, self.graph_ = _graphs(choice, state, task.num_rows)
        self.given_graph_ = None
        if task.given is not None:
            one = torch.ones(task.given.size(1), dtype=torch.double)
            self.given_graph_ = _matrix(task.given, one, task.num_rows)
        self._served = served(task, state, choice.joins, learn)
        return choice, state

    def _expected(self, X: Any) -> tuple[Tensor, Tensor, Tensor]:  # noqa: N803
        r"""What is expected of unseen rows, its variance over graphs, and the
        weight of both; rows that are far from all others have a small one.
        """
        check_is_fitted(self)
        x = self._features(self._validated(X, reset=False))
        weight = weight_within(x, self._reach)
        return *self._served(weight * x), weight

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
    choice: Choice, state: Explained, num_rows: int
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    r"""The edges' probabilities before and after learning."""
    if choice.field is None or state.logits is None:
        empty = scipy.sparse.csr_array((num_rows, num_rows))
        return empty, empty.copy()
    prior = choice.field.prior
    logits = [prior.logits.double(), state.logits.double()]
    index, prob = to_undirected(
        prior.pairs.index, [one.sigmoid() for one in logits], num_rows
    )
    return _matrix(index, prob[0], num_rows), _matrix(index, prob[1], num_rows)


def _matrix(index: Tensor, value: Tensor, size: int) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(
        (value.numpy(), tuple(index.numpy())), shape=(size, size)
    )
