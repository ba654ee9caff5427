import torch
from torch import Tensor
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from benchmarks.paper.systems.base import (
    Outcome,
    System,
    num_classes,
    train_on_graph,
)
from torch_geometric_vgcn.message_passing import SparseDropout


class GAT(System):
    r"""The graph attention network of the `"Graph Attention Networks"
    <https://arxiv.org/abs/1710.10903>`_ paper, on the unchanged graph.
    """

    title = 'GAT'
    settings = ({'lr': 0.01, 'weight_decay': 5e-4, 'epochs': 250},)

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        epochs: int = 1000,
    ) -> Outcome:
        seed_everything(seed)
        net = AttentionNet(data.num_features, num_classes(data))
        options = {'lr': lr, 'weight_decay': weight_decay, 'epochs': epochs}
        return train_on_graph(net, data, **options)


class AttentionNet(torch.nn.Module):
    r"""Two layers of attention: eight heads of eight units, then one head for
    the classes. Dropout is applied to features and attention.

    Args:
        in_channels (int): The number of features.
        out_channels (int): The number of classes.
        dropout (float, optional): The share to drop. (default: :obj:`0.6`)
    """

    def __init__(
        self, in_channels: int, out_channels: int, dropout: float = 0.6
    ) -> None:
        super().__init__()
        self.drop = SparseDropout(dropout)
        self.conv1 = GATConv(in_channels, 8, heads=8, dropout=dropout)
        self.conv2 = GATConv(64, out_channels, dropout=dropout)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.conv1(self.drop(x), edge_index)
        x = torch.nn.functional.elu(x)
        return self.conv2(self.drop(x), edge_index)
