from torch import Tensor
from torch_geometric.data import Data

from systems.base import num_classes
from systems.recipe import HIDDEN, Recipe, input_dropout, objective
from systems.sage import SAGENet
from torch_geometric_vgcn import FixedGraph
from torch_geometric_vgcn.message_passing import SparseDropout


class RecipeSAGE(Recipe):
    r"""GraphSAGE with means of all neighbours, in place of the propagation
    network, on the graph as it is.
    """

    title = 'Recipe: SAGE'

    def model(self, data: Data) -> FixedGraph:
        net = FullSAGE(
            data.num_features,
            HIDDEN,
            num_classes(data),
            input_dropout(data),
        )
        return FixedGraph(net, data.edge_index, objective=objective(data))


class FullSAGE(SAGENet):
    r""":class:`SAGENet` on the whole graph, with as much input dropout as
    :class:`~torch_geometric_vgcn.models.PropagatedMLP`.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of classes.
        input_dropout (float): The share of features to drop.
        dropout (float, optional): The share of hidden units to drop.
            (default: :obj:`0.5`)
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        input_dropout: float,
        dropout: float = 0.5,
    ) -> None:
        super().__init__(in_channels, hidden_channels, out_channels, dropout)
        self.drop_input = SparseDropout(input_dropout)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.conv1(self.drop_input(x), edge_index).relu()
        return self.conv2(self.drop(x), edge_index)
