from torch.nn import Module
from torch_geometric.data import Data
from torch_geometric.nn import GCN

from torch_geometric_vgcn.transforms.trained import num_inputs, trained
from torch_geometric_vgcn.utils import check_count, check_share


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
