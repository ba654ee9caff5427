from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module
from torch_geometric.data import Data

from torch_geometric_vgcn import (
    FixedGraph,
    VariationalGraphLearner,
    evaluate,
    fit,
)
from torch_geometric_vgcn.training import Fit
from torch_geometric_vgcn.utils.rows import fastest_layout


def blind(data: Data) -> Data:
    r"""The data that a system may see: without :obj:`data.test_mask`, and with
    labels -1 outside of training and validation.
    """
    data = copy(data)
    seen = data.train_mask | data.val_mask
    data.y = data.y.masked_fill(~seen, -1)
    del data.test_mask
    return data


def num_classes(data: Data) -> int:
    return int(data.y.max()) + 1


def with_fast_features(data: Data) -> Data:
    r"""The data with :obj:`data.x` dense or sparse, whichever is faster to
    multiply: a bag of words is several times faster as a sparse matrix.
    """
    data = copy(data)
    data.x = fastest_layout(data.x)
    return data


@dataclass
class LearnedGraph:
    r"""What a learner believes of its node pairs, before and after training.

    Args:
        index (Tensor): The pairs, of shape :obj:`[2, P]`.
        prior (Tensor): Their prior edge probabilities, of shape :obj:`[P]`.
        posterior (Tensor): Their posterior edge probabilities, of shape
            :obj:`[P]`.
    """

    index: Tensor
    prior: Tensor
    posterior: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, learner: VariationalGraphLearner, x: Tensor) -> 'LearnedGraph':
        prior = learner.prior
        # In double precision, where high logits aren't all probability one:
        return cls(
            prior.pairs.index,
            prior.logits.double().sigmoid(),
            learner.posterior(prior, x).double().sigmoid(),
        )


@dataclass
class Outcome:
    r"""The result of training a system.

    Args:
        prob (Tensor): The class probabilities of all nodes, :obj:`[N, C]`, in
            the epoch chosen by validation accuracy.
        val_acc (float): The validation accuracy of that epoch.
        epoch (int): The index of that epoch.
        graph (LearnedGraph, optional): What was learned of the graph.
            (default: :obj:`None`)
    """

    prob: Tensor
    val_acc: float
    epoch: int
    graph: LearnedGraph | None = None

    @classmethod
    def of_fit(
        cls, prob: Tensor, fit: Fit, graph: LearnedGraph | None = None
    ) -> 'Outcome':
        return cls(prob, fit.val_acc, fit.best_epoch, graph)


def train_on_graph(net: Module, data: Data, **options: Any) -> Outcome:
    r"""Trains a network on the unchanged graph, with the :obj:`options` of
    :func:`fit`.
    """
    data = with_fast_features(data)
    model = FixedGraph(net, data.edge_index)
    result = fit(model, data, progress=False, **options)
    return Outcome.of_fit(model.predict(data.x), result)


class System(ABC):
    r"""One row of the pages.

    It sees the labels of training and validation nodes only: those of all
    other nodes are -1 in :obj:`data.y`, and there is no :obj:`data.test_mask`.
    The graph is undirected, has both directions in :obj:`data.edge_index` and
    no self-loops; the rows of :obj:`data.x` sum to one, or its columns are
    standardised.
    """

    #: The name in tables and figures.
    title: ClassVar[str]
    #: The settings that validation accuracy chooses from.
    settings: ClassVar[Sequence[Mapping[str, Any]]] = ({},)

    @abstractmethod
    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        r"""Trains on the nodes of :obj:`data.train_mask`."""


class BestEpoch:
    r"""Keeps the predictions of the epoch with the best validation accuracy
    (on ties, with the best likelihood), for systems with their own training
    loop.

    .. code-block:: python

        best = BestEpoch(data, patience=100)
        for _ in range(epochs):
            ...
            if not best.look(prob):
                break
        return best.outcome

    Args:
        data (torch_geometric.data.Data): The data.
        patience (int): After how many epochs without improvement to stop.
    """

    def __init__(self, data: Data, patience: int) -> None:
        self.data = data
        self.patience = patience
        self.epoch = 0
        self.nll = float('inf')
        self.outcome = Outcome(data.x, -1.0, -1)

    def look(self, prob: Tensor) -> bool:
        r"""Takes the next epoch's predictions. Returns whether to continue."""
        acc, nll = evaluate(prob, self.data.y, self.data.val_mask)
        best = self.outcome
        if (acc, -nll) > (best.val_acc, -self.nll):
            self.nll = nll
            best.prob, best.val_acc = prob.detach().clone(), acc
            best.epoch = self.epoch
        self.epoch += 1
        return self.epoch - 1 - best.epoch < self.patience
