from copy import copy
from typing import Any

from torch_geometric import nn, seed_everything
from torch_geometric.data import Data

from benchmarks.paper.systems.base import (
    Outcome,
    System,
    num_classes,
    train_on_graph,
)
from torch_geometric_vgcn.transforms import KNNGraph


def gcn(data: Data) -> nn.GCN:
    r"""The paper's network: two layers, 16 hidden units, dropout 0.5."""
    shape = (data.num_features, 16, 2, num_classes(data))
    return nn.GCN(*shape, dropout=0.5)


class GCN(System):
    r"""The graph convolutional network of the `"Semi-supervised Classification
    with Graph Convolutional Networks" <https://arxiv.org/abs/1609.02907>`_
    paper, on the unchanged graph.
    """

    title = 'GCN'
    settings = (
        {'lr': 0.01, 'weight_decay': 5e-4},
        {'lr': 0.02, 'weight_decay': 5e-4},
    )

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        epochs: int = 400,
    ) -> Outcome:
        seed_everything(seed)
        options = {'lr': lr, 'weight_decay': weight_decay, 'epochs': epochs}
        return train_on_graph(gcn(data), data, **options)


class MLP(GCN):
    r"""A multilayer perceptron, which sees the features only: :class:`GCN` on
    a graph without edges, where each node has nothing but its self-loop.
    """

    title = 'MLP'

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        data = copy(data)
        data.edge_index = data.edge_index[:, :0]
        return super().train(data, seed, **settings)


class GCNOnKNN(GCN):
    r"""GCN on the nearest neighbours by features; the graph is ignored."""

    title = 'GCN on kNN'

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        return super().train(KNNGraph(k=20)(data), seed, **settings)
