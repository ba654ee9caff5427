from torch_geometric import nn, seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System, num_classes, train_on_graph


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
    grid = {'lr': [0.01], 'weight_decay': [5e-3, 5e-4]}
    quick = {'lr': 0.01, 'weight_decay': 5e-4}
    also = ({'lr': 0.02, 'weight_decay': 5e-4},)

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
