from typing import Any

import numpy as np
import torch
from sklearn.base import ClassifierMixin
from torch import Tensor

from torch_geometric_vgcn.estimators.base import VGCNEstimator
from torch_geometric_vgcn.estimators.labels import class_codes


class VGCNClassifier(ClassifierMixin, VGCNEstimator):
    r"""Classifies the rows of a table of which some labels are missing, with
    a graph that it learns. A scikit-learn estimator.

    It is the one call, :class:`~torch_geometric_vgcn.VGCN`, with members for
    tables: networks without a graph, on the nearest rows and on a given
    graph, which may be wrong. Their weights are those under which labels that
    are held out are most likely; then they are trained with all labels.

    Time and memory grow with the number of rows: nothing is :math:`N \times
    N`.

    .. code-block:: python

        clf = VGCNClassifier(random_state=0)
        clf.fit(X, y)  # y is -1, NaN or None where it isn't known
        clf.transduction_  # the classes of all rows of X
        clf.predict(X_new)

    Args:
        trust (float or str, optional): The prior probability of an edge, in
            all members, which then have a graph; :obj:`"auto"` has members
            of each kind.
            (default: :obj:`"auto"`)
        n_neighbors (int or str, optional): The number of nearest rows, or
            :obj:`"auto"`. (default: :obj:`"auto"`)
        features (str, optional): :obj:`"counts"` (words, pixels) for rows of
            norm one; :obj:`"measurements"` for standardised columns;
            :obj:`"auto"` takes non-negative features with many zeros for
            counts. (default: :obj:`"auto"`)
        learn (bool, optional): Whether edges are inferred; otherwise they
            keep their prior probability: the control.
            (default: :obj:`True`)
        hidden (int, optional): The number of hidden units.
            (default: :obj:`256`)
        max_iter (int, optional): The number of steps of each training of a
            network. (default: :obj:`400`)
        batch_size (int or str, optional): The number of rows per step, or
            :obj:`"auto"`. (default: :obj:`"auto"`)
        verbose (bool, optional): Whether to show progress bars.
            (default: :obj:`False`)
        random_state (int, optional): The seed. (default: :obj:`None`)

    Attributes:
        classes_ (numpy.ndarray): The classes.
        labels_ (numpy.ndarray): The index of each row's known class in
            :obj:`classes_`, or :obj:`-1`.
        transduction_ (numpy.ndarray): The class of each row of :meth:`fit`:
            the known or the predicted one.
        label_distributions_ (numpy.ndarray): Their class probabilities.
        graph_ (scipy.sparse.csr_array): The learned graph: the edge
            probabilities, the weighted mean over members with a graph.
            For NetworkX,
            :obj:`networkx.from_scipy_sparse_array(clf.graph_)`; for PyG,
            :func:`torch_geometric.utils.from_scipy_sparse_matrix`.
        prior_graph_ (scipy.sparse.csr_array): The probabilities of the same
            edges before learning.
        given_graph_ (scipy.sparse.csr_array, optional): The given graph, in
            both directions, or :obj:`None`.
        model_ (VGCN): The fitted model.
        leaderboard_ (dict): The columns of a table of all members:
            :obj:`accuracy` and :obj:`nll` on held-out labels, after
            temperature scaling, and :obj:`weight`.
        choice_ (str): The members that have a weight.
        trials_ (list): The members, with their accuracy and mean negative
            log-likelihood.
        validation_score_ (float): The accuracy of their weighted mean on
            held-out labels; NaN if no class has two labels, so that none can
            be held out.
        validation_size_ (int): The number of these labels. They also weigh
            members, so the score is slightly optimistic.
        validation_rows_ (numpy.ndarray): Their rows.
        validation_distributions_ (numpy.ndarray): The class probabilities of
            these rows, predicted without their labels.
        n_iter_ (int): The number of steps of each training.
    """

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
            graph (optional): A graph of the rows that may be wrong, without
                weights: :obj:`edge_index` or a sparse :math:`n \times n`
                matrix, by the order of rows; or a NetworkX graph, a DataFrame
                of two columns or a list of pairs, whose nodes are the names
                of the rows in the index of :obj:`X`, or their numbers if
                :obj:`X` is no :class:`pandas.DataFrame`, or one whose index
                counts the rows. (default: :obj:`None`)
        """
        X, given = self._table(X, graph)  # noqa: N806
        self.classes_, code = class_codes(y, X.shape[0])
        prob, weight = self._learn(X, torch.from_numpy(code), given)
        self.labels_ = code
        held = self.model_.held_out_prob_.double()
        self.validation_distributions_ = held.numpy()
        self.validation_score_ = float('nan')
        if len(held) > 0:
            hits = held.argmax(dim=1).numpy() == code[self.validation_rows_]
            self.validation_score_ = float(hits.mean())
        known = code >= 0
        weight[torch.from_numpy(known)] = 1.0
        self.label_distributions_ = self._with_shares(prob.double(), weight)
        place = self.label_distributions_.argmax(axis=1)
        self.transduction_ = self.classes_[np.where(known, code, place)]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        r"""The class probabilities of rows, each joined with its nearest
        training rows. Those of a row that is farther from the mean of the
        training rows than each of them approach the shares of the known
        classes.
        """
        return self._with_shares(*self._expected(X))

    def _with_shares(self, prob: Tensor, weight: Tensor) -> np.ndarray:
        r"""Class probabilities with a weight beside the class shares."""
        known = torch.from_numpy(self.labels_[self.labels_ >= 0])
        share = known.bincount(minlength=prob.size(1)).double() / known.numel()
        return (weight * prob + (1 - weight) * share).numpy()

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        r"""The most probable class of each row."""
        prob = self.predict_proba(X)
        return self.classes_[prob.argmax(axis=1)]
