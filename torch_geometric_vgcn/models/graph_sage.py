import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import dropout, linear
from torch_geometric.nn import Linear, MeanAggregation, SAGEConv

from torch_geometric_vgcn.message_passing import SparseDropout
from torch_geometric_vgcn.utils import SparseFeatures
from torch_geometric_vgcn.utils.constraints import SHARE, SIZE, checked


class GraphSAGE(Module):
    r"""Two layers of :class:`~torch_geometric.nn.SAGEConv`. The first one
    multiplies by its weights before it takes the mean over neighbours, which
    is the same, and many times faster for sparse features.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of classes.
        input_dropout (float): The share of features to drop.
    """

    takes_sparse_features = True

    @checked(
        in_channels=SIZE,
        hidden_channels=SIZE,
        out_channels=SIZE,
        input_dropout=SHARE,
    )
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        input_dropout: float,
    ) -> None:
        super().__init__()
        self.input_dropout = SparseDropout(input_dropout)
        # Of the node itself and of its neighbours, in one product:
        self.hidden = Linear(in_channels, 2 * hidden_channels)
        self.mean = MeanAggregation()
        self.out = SAGEConv(hidden_channels, out_channels)
        self._features = SparseFeatures()

    def reset_parameters(self) -> None:
        self.hidden.reset_parameters()
        self.out.reset_parameters()

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.input_dropout(x)
        weight = self.hidden.weight
        if x.layout == torch.strided:
            h = linear(x, weight)
        else:
            h = self._features.linear(x, weight)
        own, other = (h + self.hidden.bias).chunk(2, dim=-1)
        source, target = edge_index
        near = self.mean(other[source], target, dim_size=x.size(0), dim=0)
        h = dropout((own + near).relu(), 0.5, self.training)
        return self.out(h, edge_index)
