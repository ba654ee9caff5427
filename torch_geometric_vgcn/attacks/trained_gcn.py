from copy import copy

from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.training import fit
from torch_geometric_vgcn.transforms.splits import labels_of
from torch_geometric_vgcn.utils import (
    check_attributes,
    check_count,
    check_features,
    check_share,
    count_nodes,
)


class TrainedGCN:
    r"""The usual surrogate of :class:`GradientAttack`: a GCN of two layers,
    trained on :obj:`data.train_mask`, with early stopping on
    :obj:`data.val_mask` if there is one.

    Args:
        hidden_channels (int, optional): The number of hidden units.
            (default: :obj:`16`)
        dropout (float, optional): The share of hidden units to drop.
            (default: :obj:`0.5`)
        epochs (int, optional): The maximum number of epochs.
            (default: :obj:`200`)
    """

    def __init__(
        self,
        hidden_channels: int = 16,
        dropout: float = 0.5,
        epochs: int = 200,
    ) -> None:
        self.hidden_channels = check_count(
            hidden_channels, 'hidden_channels', least=1
        )
        self.dropout = check_share(dropout, 'dropout')
        self.epochs = check_count(epochs, 'epochs', least=1)

    def __call__(self, data: Data) -> Module:
        in_channels, out_channels = num_inputs(data)
        network = GCN(
            in_channels,
            self.hidden_channels,
            num_layers=2,
            out_channels=out_channels,
            dropout=self.dropout,
        )
        return trained(network, data, self.epochs)

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(hidden_channels={self.hidden_channels}, '
            f'dropout={self.dropout}, epochs={self.epochs})'
        )


def num_inputs(data: Data) -> tuple[int, int]:
    r"""The number of features and of classes."""
    num_nodes = count_nodes(data)
    check_attributes(data, 'x', 'y', 'train_mask', 'edge_index')
    check_features(data.x, num_nodes, 'data.x')
    if data.x.dim() != 2:
        raise ValueError(
            f"'data.x' must have shape [N, F], got {list(data.x.shape)}"
        )
    num_classes = int(labels_of(data).max()) + 1
    if num_classes < 2:
        raise ValueError("'data.y' must hold at least two classes, got one")
    return data.x.size(1), num_classes


def trained(network: Module, data: Data, epochs: int) -> Module:
    r"""Trains a network on the graph as it is, and leaves it in evaluation
    mode and in its best state by :obj:`data.val_mask`, or by the training
    nodes if there is none.
    """
    if data.get('val_mask') is None:
        data = copy(data)
        data.val_mask = data.train_mask
    network = network.to(data.x.device, data.x.dtype)
    learner = FixedGraph(network, data.edge_index)
    fit(learner, data, epochs=epochs, progress=False)
    return network.eval()
