from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.estimators.classifier import VGCNClassifier
from torch_geometric_vgcn.estimators.rows import as_numpy
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    check_kind,
    check_tensor,
    count_nodes,
    observed_edges,
    selected_nodes,
)


class VGCNNodeClassifier:
    r""":class:`VGCNClassifier` for people with
    :class:`~torch_geometric.data.Data`: nodes are rows, and
    :obj:`data.edge_index` (or :obj:`data.adj_t`), if there is one, is a graph
    that may be wrong. Weights of edges must be one, or zero for none.

    .. code-block:: python

        model = VGCNNodeClassifier(random_state=0).fit(data)
        label = model.predict()  # of all nodes
        label, prob = model.predict(other, return_prob=True)

    Args:
        **kwargs: The parameters of :class:`VGCNClassifier`.

    Attributes:
        classifier (VGCNClassifier): The estimator underneath, with all that
            was learned.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.classifier = VGCNClassifier(**kwargs)

    def fit(self, data: Data) -> 'VGCNNodeClassifier':
        r"""Learns from the labels in :obj:`data.train_mask` and
        :obj:`data.val_mask`; if there is no mask, from all labels of at least
        zero. No other label is looked at.
        """
        check_kind(data, Data, 'data')
        check_attributes(data, 'x', 'y')
        x, n = _features(data), count_nodes(data)
        y = _labels(data, n)
        known = torch.zeros(n, dtype=torch.bool)
        masks = [m for m in ('train_mask', 'val_mask') if m in data]
        for name in masks:
            known[selected_nodes(data[name], n, f'data.{name}').cpu()] = True
        if not masks:
            known = y >= 0
        label = np.where(known.numpy(), y.numpy(), -1)
        graph = observed_edges(data)
        if graph is not None:
            graph = graph.cpu()
        self.classifier.fit(x, label, graph=graph)
        return self

    def predict(
        self, data: Data | None = None, return_prob: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        r"""The most probable class of each node.

        Args:
            data (torch_geometric.data.Data, optional): Other nodes, each of
                which joins the nearest nodes of :meth:`fit` by its features.
                (default: the nodes of :meth:`fit`)
            return_prob (bool, optional): Whether to return the class
                probabilities, too. (default: :obj:`False`)
        """
        prob = self.predict_proba(data)
        label = self.classifier.classes_[prob.argmax(dim=1).numpy()]
        found = torch.from_numpy(label)
        return (found, prob) if return_prob else found

    def predict_proba(self, data: Data | None = None) -> Tensor:
        r"""The class probabilities of each node, of :obj:`data` or of
        :meth:`fit`.
        """
        check_is_fitted(self.classifier)
        if data is None:
            return torch.from_numpy(self.classifier.label_distributions_)
        check_kind(data, Data, 'data')
        check_attributes(data, 'x')
        prob = self.classifier.predict_proba(_features(data))
        return torch.from_numpy(prob)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        r"""The parameters, as for scikit-learn."""
        return self.classifier.get_params(deep)

    def set_params(self, **params: Any) -> 'VGCNNodeClassifier':
        r"""Sets parameters, as for scikit-learn."""
        self.classifier.set_params(**params)
        return self

    def save(self, path: str | Path) -> None:
        r"""Saves the fitted model, as :class:`VGCNClassifier` does."""
        self.classifier.save(path)

    @classmethod
    def load(cls, path: str | Path) -> 'VGCNNodeClassifier':
        r"""Loads a model that :meth:`save` has saved."""
        model = cls()
        model.classifier = VGCNClassifier.load(path)
        return model

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.classifier})'


def _labels(data: Data, num_nodes: int) -> Tensor:
    r"""One label for each node; OGB has them as a column."""
    check_tensor(data.y, f'[{num_nodes}]', 'data.y')
    if list(data.y.shape) not in ([num_nodes], [num_nodes, 1]):
        raise ValueError(
            f"'data.y' must have shape [{num_nodes}], got {list(data.y.shape)}"
        )
    return data.y.detach().view(-1).cpu()


def _features(data: Data) -> Any:
    check_features(data.x, count_nodes(data), 'data.x')
    return as_numpy(data.x.detach().cpu())
