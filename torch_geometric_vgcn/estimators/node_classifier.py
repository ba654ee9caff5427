from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.estimators.classifier import VGCNClassifier
from torch_geometric_vgcn.recipe.labels import labels_of
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_features,
    check_kind,
    count_nodes,
    observed_edges,
)


class VGCNNodeClassifier(VGCNClassifier):
    r""":class:`VGCNClassifier` for people with
    :class:`~torch_geometric.data.Data`: nodes are rows, and
    :obj:`data.edge_index` (or :obj:`data.adj_t`), if there is one, is a graph
    that may be wrong. Weights of edges must be one, or zero for none.

    .. code-block:: python

        model = VGCNNodeClassifier(random_state=0).fit(data)
        label = model.predict()  # of all nodes
        label, prob = model.predict(other, return_prob=True)

    Args:
        **kwargs: The parameters of :class:`VGCNClassifier`, whose attributes
            it has, too.
    """

    def fit(
        self, data: Data, y: Any = None, graph: Any = None
    ) -> 'VGCNNodeClassifier':
        r"""Learns from the labels in :obj:`data.train_mask` and
        :obj:`data.val_mask`; if there is no mask, from all labels of at least
        zero. No other label is looked at. Labels and graph are those of
        :obj:`data`: :obj:`y` and :obj:`graph` must be :obj:`None`.
        """
        check_kind(data, Data, 'data')
        for name, value in (('y', y), ('graph', graph)):
            if value is not None:
                raise ValueError(
                    f"'{name}' must be None, as labels and graph are those of "
                    f"'data', got {type(value).__name__}"
                )
        check_attributes(data, 'x', 'y')
        x, label = _rows(data), labels_of(data, count_nodes(data))[0]
        edges = observed_edges(data)
        edges = None if edges is None else edges.cpu()
        super().fit(x, label.numpy(force=True), edges)
        return self

    def predict(
        self, data: Data | None = None, return_prob: bool = False
    ) -> Any:
        r"""The most probable class of each node.

        Args:
            data (torch_geometric.data.Data, optional): Other nodes, each of
                which joins the nearest nodes of :meth:`fit` by its features.
                (default: the nodes of :meth:`fit`)
            return_prob (bool, optional): Whether to return the class
                probabilities, too. (default: :obj:`False`)
        """
        prob = self.predict_proba(data)
        label = self.classes_[prob.argmax(dim=1).numpy()]
        found = torch.from_numpy(label)
        return (found, prob) if return_prob else found

    def predict_proba(self, data: Data | None = None) -> Any:
        r"""The class probabilities of each node, of :obj:`data` or of
        :meth:`fit`.
        """
        if data is None:
            check_is_fitted(self)
            return torch.from_numpy(self.label_distributions_)
        rows = _rows(data) if isinstance(data, Data) else data
        return torch.from_numpy(super().predict_proba(rows))

    @property
    def classifier(self) -> 'VGCNNodeClassifier':
        r"""The estimator itself, which once was one inside this one."""
        return self


def _rows(data: Data) -> Tensor:
    check_attributes(data, 'x')
    check_features(data.x, count_nodes(data), 'data.x')
    return data.x
