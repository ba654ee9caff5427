from torch_geometric import nn, seed_everything
from torch_geometric.data import Data

from systems.base import Outcome, System
from torch_geometric_vgcn import FixedGraph, fit


class GCN(System):
    r"""The graph convolutional network of the `"Semi-supervised Classification
    with Graph Convolutional Networks" <https://arxiv.org/abs/1609.02907>`_
    paper, on the graph as it is.
    """

    title = 'GCN'
    grid = {'lr': [0.01], 'weight_decay': [5e-3, 5e-4]}
    quick = {'lr': 0.01, 'weight_decay': 5e-4}

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        epochs: int = 400,
    ) -> Outcome:
        seed_everything(seed)
        num_classes = int(data.y.max()) + 1
        net = nn.GCN(data.num_features, 16, 2, num_classes, dropout=0.5)
        model = FixedGraph(net, data.edge_index)
        data = data.clone()
        data.x = data.x.to_sparse_csr()
        options = {'lr': lr, 'weight_decay': weight_decay, 'progress': False}
        result = fit(model, data, epochs=epochs, **options)
        return Outcome.of_fit(model.predict(data.x), result)
