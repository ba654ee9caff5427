from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import dropout, linear
from torch_geometric.nn import APPNP, Linear

from torch_geometric_vgcn.utils import SparseFeatures, fastest, with_values
from torch_geometric_vgcn.utils.constraints import SHARE, SIZE, checked


class PropagatedMLP(Module):
    r"""Classes from a node's own features, propagated over the graph, as in
    the `"Predict then Propagate: Graph Neural Networks meet Personalized
    PageRank" <https://arxiv.org/abs/1810.05997>`_ paper

    .. math::
        \mathbf{H}^{(0)} &= \mathrm{MLP}(\mathbf{X})

        \mathbf{H}^{(k)} &= (1 - \alpha) \mathbf{\hat{D}}^{-1/2}
        \mathbf{\hat{A}} \mathbf{\hat{D}}^{-1/2} \mathbf{H}^{(k-1)} + \alpha
        \mathbf{H}^{(0)},

    with :math:`K` steps, one hidden layer, and dropout that is drawn anew for
    each sampled graph.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of classes.
        K (int, optional): The number of steps :math:`K`. (default: :obj:`8`)
        alpha (float, optional): The weight :math:`\alpha` of a node's own
            output in each step. (default: :obj:`0.2`)
        input_dropout (float, optional): The share of features to drop.
            (default: :obj:`0.8`)
        dropout (float, optional): The share of hidden units to drop.
            (default: :obj:`0.5`)
    """

    #: All sampled graphs go through one call.
    takes_several_graphs = True

    @checked(
        in_channels=SIZE,
        hidden_channels=SIZE,
        out_channels=SIZE,
        K=SIZE,
        alpha=SHARE,
        input_dropout=SHARE,
        dropout=SHARE,
    )
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 8,  # noqa: N803
        alpha: float = 0.2,
        input_dropout: float = 0.8,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.input_dropout = input_dropout
        self.hidden = Linear(
            in_channels, hidden_channels, weight_initializer='glorot'
        )
        self.dropout = dropout
        self.out = Linear(
            hidden_channels, out_channels, weight_initializer='glorot'
        )
        self.propagate = APPNP(K, alpha)
        self._features = SparseFeatures()

    def reset_parameters(self) -> None:
        self.hidden.reset_parameters()
        self.out.reset_parameters()

    def forward(
        self, x: Tensor, edge_index: Any, edge_weight: Tensor | None = None
    ) -> Tensor:
        r"""The outputs on one graph, of shape :obj:`[N, C]`.

        Args:
            x (Tensor): The features, of shape :obj:`[N, F]`, dense or sparse.
            edge_index (Tensor): The edges, of shape :obj:`[2, E]`.
            edge_weight (Tensor, optional): Their weights, of shape
                :obj:`[E]`. (default: :obj:`None`)
        """
        # A learner's matrices may be those of several graphs:
        num_graphs = getattr(edge_index, 'num_graphs', 1)
        # Features of each graph its own are as many already:
        one = not self.training or num_graphs == 1 or x.dim() > 2
        several = () if one else (num_graphs,)
        h = self._hidden(fastest(x), several).relu()
        h = self.out(dropout(h, self.dropout, self.training))
        return self.propagate(h, edge_index, edge_weight)

    def _hidden(self, x: Tensor, several: tuple[int, ...]) -> Tensor:
        r"""The hidden layer, with dropout drawn once, or for each of several
        graphs.
        """
        weight, bias = self.hidden.weight, self.hidden.bias
        if x.layout == torch.strided:
            x = dropout(
                x.expand(*several, *x.shape), self.input_dropout, self.training
            )
            return linear(x, weight, bias)
        if x.layout != torch.sparse_csr:
            x = x.to_sparse_csr()
        value = x.values()
        value = dropout(
            value.expand(*several, *value.shape),
            self.input_dropout,
            self.training,
        )
        product = self._features.linear
        if not several:
            return product(with_values(x, value), weight) + bias
        draws = [product(with_values(x, v), weight) for v in value]
        return torch.stack(draws) + bias
