from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch_geometric.utils import to_undirected
from tqdm import tqdm

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.checks import check_count, check_probability
from torch_geometric_vgcn.estimators.features import Features
from torch_geometric_vgcn.estimators.folds import folds
from torch_geometric_vgcn.estimators.given_graph import given_graph
from torch_geometric_vgcn.estimators.labels import Labels
from torch_geometric_vgcn.estimators.saved import load_state, save_state
from torch_geometric_vgcn.estimators.served import Served, served
from torch_geometric_vgcn.estimators.settings import (
    Given,
    Nearest,
    NoGraph,
    Setting,
)
from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.estimators.trained import (
    NUM_SAMPLES,
    Trained,
    train,
    train_for,
)
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.nearest.rows import fastest_layout
from torch_geometric_vgcn.transforms.own_rng import own_rng


class VGCNClassifier(ClassifierMixin, BaseEstimator):
    r"""Classifies the rows of a table of which some labels are missing, with
    a graph that it learns. A scikit-learn estimator.

    Rows are connected with their nearest rows, or by a given graph that may
    be wrong. How far such edges are trusted, how many neighbours a row has,
    and whether a graph helps at all is chosen on labels that are held out;
    then the model is trained with all labels.

    .. code-block:: python

        clf = VGCNClassifier(random_state=0)
        clf.fit(X, y)  # y is -1, NaN or None where it isn't known
        clf.transduction_  # the classes of all rows of X
        clf.predict(X_new)

    Args:
        trust (float or str, optional): The prior probability of an edge;
            :obj:`"auto"` lets held-out labels choose.
            (default: :obj:`"auto"`)
        n_neighbors (int or str, optional): The number of nearest rows, or
            :obj:`"auto"`. (default: :obj:`"auto"`)
        features (str, optional): :obj:`"counts"` (words, pixels) for rows of
            norm one, compared by cosine; :obj:`"measurements"` for
            standardised columns, compared by distance; :obj:`"auto"` takes
            non-negative features with many zeros for counts.
            (default: :obj:`"auto"`)
        hidden (int, optional): The number of hidden units.
            (default: :obj:`64`)
        max_iter (int, optional): The maximum number of epochs.
            (default: :obj:`120`)
        verbose (bool, optional): Whether to show a progress bar.
            (default: :obj:`False`)
        random_state (int, optional): The seed. (default: :obj:`None`)

    Attributes:
        classes_ (numpy.ndarray): The classes.
        transduction_ (numpy.ndarray): The predicted class of each row of
            :meth:`fit`.
        label_distributions_ (numpy.ndarray): Their class probabilities.
        labels_ (numpy.ndarray): The place of each row's known class in
            :obj:`classes_`, or :obj:`-1`.
        graph_ (scipy.sparse.csr_array): The learned graph: edge
            probabilities, empty if no graph was chosen. For NetworkX,
            :obj:`networkx.from_scipy_sparse_array(clf.graph_)`; for PyG,
            :func:`torch_geometric.utils.from_scipy_sparse_matrix`.
        prior_graph_ (scipy.sparse.csr_array): The probabilities of the same
            edges before learning.
        given_graph_ (scipy.sparse.csr_array, optional): The given graph, in
            both directions, or :obj:`None`.
        choice_ (str): The setting that was chosen.
        trials_ (list): What was tried, with the accuracy and the negative
            log-likelihood on held-out labels.
        validation_score_ (float): The accuracy of the choice on held-out
            labels.
        validation_size_ (int): The number of these labels. They also chose
            the setting, so the score is slightly optimistic.
        validation_rows_ (numpy.ndarray): Their rows.
        validation_distributions_ (numpy.ndarray): The class probabilities of
            these rows, predicted without their labels.
        n_iter_ (int): The number of epochs.
    """

    def __init__(
        self,
        trust: float | str = 'auto',
        n_neighbors: int | str = 'auto',
        features: str = 'auto',
        hidden: int = 64,
        max_iter: int = 120,
        verbose: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.trust = trust
        self.n_neighbors = n_neighbors
        self.features = features
        self.hidden = hidden
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        graph: Any = None,
    ) -> 'VGCNClassifier':
        r"""Learns the classes of all rows.

        Args:
            X (array, sparse matrix or DataFrame): The features, one row for
                each example.
            y (array): The classes; :obj:`-1`, NaN, :obj:`None` or an empty
                text where they aren't known.
            graph (optional): A graph of the rows that may be wrong:
                :obj:`edge_index`, a sparse :math:`n \times n` matrix or a
                NetworkX graph. (default: :obj:`None`)
        """
        counts = _counts(self.features)
        X = validate_data(  # noqa: N806
            self,
            X,
            accept_sparse='csr',
            dtype=np.float64,
            ensure_min_samples=2,
        )
        labels = Labels.of(y, X.shape[0])
        rng = check_random_state(self.random_state)
        settings = self._settings(graph is not None)
        self.classes_ = labels.classes
        self.labels_ = labels.code
        self._features = Features.of(X, counts)
        task = Task(
            fastest_layout(self._features(X).float()),
            torch.from_numpy(labels.code),
            self._features.counts,
            labels.classes.size,
            check_count(self.hidden, 'hidden', least=1),
            None if graph is None else given_graph(graph, X.shape[0]),
        )
        with own_rng(int(rng.randint(2**31 - 1)), task.x.device):
            self._choose(task, settings, folds(labels.code, rng))
        return self

    def _settings(self, given: bool) -> Sequence[Setting]:
        r"""What to choose from."""
        many: Sequence[int] = (10, 20)
        if self.n_neighbors != 'auto':
            many = [check_count(cast(int, self.n_neighbors), 'n_neighbors', 1)]
        trust: Sequence[float] = (0.1, 0.99)
        if self.trust != 'auto':
            trust = [check_probability(cast(float, self.trust), 'trust')]
        if given:
            near = Nearest(many[-1], 0.1)
            own: list[Setting] = [
                Given(rho1, weight, near)
                for rho1 in (trust if self.trust != 'auto' else (0.5, 0.99))
                for weight in (0.0, 4.0)
            ]
        else:
            own = [Nearest(k, rho1) for k in many for rho1 in trust]
        return [NoGraph(), *own] if self.trust == 'auto' else own

    def _choose(
        self,
        task: Task,
        settings: Sequence[Setting],
        parts: Sequence[tuple[Tensor, Tensor]],
    ) -> None:
        epochs = check_count(self.max_iter, 'max_iter', least=1)
        found: dict[Setting, list[Trained]] = {s: [] for s in settings}
        with tqdm(
            total=len(settings) * len(parts) + 1,
            disable=not self.verbose,
            desc='VGCNClassifier',
        ) as bar:
            for setting in settings:
                bar.set_postfix_str(str(setting))
                for rows, held in parts:
                    one = train(task, setting, rows, held, epochs)
                    found[setting].append(one)
                    bar.update()
            weight = [held.numel() for _, held in parts]
            self.trials_: list[dict[str, Any]] = [
                {
                    'setting': str(setting),
                    'accuracy': _mean([t.accuracy for t in runs], weight),
                    'nll': _mean([t.nll for t in runs], weight),
                }
                for setting, runs in found.items()
            ]
            best = max(
                range(len(settings)),
                key=lambda place: (
                    self.trials_[place]['accuracy'],
                    -self.trials_[place]['nll'],
                ),
            )
            setting, runs = settings[best], found[settings[best]]
            self.choice_ = str(setting)
            self.validation_score_ = self.trials_[best]['accuracy']
            self.validation_size_ = sum(weight)
            self.n_iter_ = round(float(np.mean([t.epochs for t in runs])))
            model = train_for(
                task,
                setting,
                (task.y >= 0).nonzero().view(-1),
                self.n_iter_,
            )
            held = torch.cat([rows for _, rows in parts])
            unseen = torch.cat(
                [
                    t.prob[rows]
                    for t, (_, rows) in zip(runs, parts, strict=True)
                ]
            )
            every = torch.arange(held.numel())
            temperature = best_temperature(unseen, task.y[held], every)
            bar.update()
        model.likelihood.set_temperature(temperature)
        prob = model.predict(task.x, num_samples=NUM_SAMPLES)
        self.label_distributions_ = prob.double().numpy()
        self.transduction_ = self.classes_[prob.argmax(dim=-1).numpy()]
        self.validation_rows_ = held.numpy()
        self.validation_distributions_ = (
            model.likelihood.calibrated(unseen).double().numpy()
        )
        self.prior_graph_, self.graph_ = _graphs(task, model)
        self.given_graph_ = None
        if task.edge_index is not None:
            edges = task.edge_index
            ones = torch.ones(edges.size(1))
            self.given_graph_ = _matrix(edges, ones, task.num_rows)
        self._served: Served = served(task, model, setting.joins, temperature)

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        r"""The class probabilities of rows, each joined with its nearest
        training rows.
        """
        check_is_fitted(self)
        X = validate_data(  # noqa: N806
            self, X, accept_sparse='csr', dtype=np.float64, reset=False
        )
        return self._served(self._features(X)).numpy()

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        r"""The most probable class of each row."""
        prob = self.predict_proba(X)
        return self.classes_[prob.argmax(axis=1)]

    def save(self, path: str | Path) -> None:
        r"""Saves the fitted estimator as plain arrays."""
        check_is_fitted(self)
        save_state(self, path)

    @classmethod
    def load(cls, path: str | Path) -> 'VGCNClassifier':
        r"""Loads an estimator that :meth:`save` has saved. Nothing in the
        file is executed.
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


def _mean(values: Sequence[float], weight: Sequence[int]) -> float:
    return float(np.average(values, weights=weight))


@torch.no_grad()
def _graphs(
    task: Task, model: VariationalGraphLearner | FixedGraph
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    r"""The edges' probabilities before and after learning."""
    n = task.num_rows
    if isinstance(model, FixedGraph):
        return scipy.sparse.csr_array((n, n)), scipy.sparse.csr_array((n, n))
    logits = [model.prior.logits, model.posterior(model.prior, task.x)]
    index, value = to_undirected(
        model.prior.pairs.index, [one.double().sigmoid() for one in logits], n
    )
    return _matrix(index, value[0], n), _matrix(index, value[1], n)


def _matrix(
    edge_index: Tensor, value: Tensor, num_rows: int
) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(
        (value.double().numpy(), tuple(edge_index.numpy())),
        shape=(num_rows, num_rows),
    )
