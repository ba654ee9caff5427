from typing import Any

import torch
from torch import Tensor
from torch.nn import Linear, Module
from torch.nn.functional import cross_entropy, linear, mse_loss
from torch_geometric.nn import APPNP

from torch_geometric_vgcn.utils import check_floats, check_tensor
from torch_geometric_vgcn.utils.constraints import SHARE, SIZE, checked

#: The most sweeps, and the change below which they end.
SWEEPS, CLOSE = 30, 1e-3
#: How many rows go through the network at a time.
BLOCK = 8192
TINY = 1e-30  # whose logarithm is finite


class LabelPropagation(Module):
    r"""Class probabilities from a node's own features, which labels and those
    of its neighbours correct: the sweeps

    .. math::
        \mathbf{m}_i \leftarrow \frac{\mathbf{f}_i + \sum_j w_{ij}
        \mathbf{m}_j}{1 + \sum_j w_{ij}}, \quad \mathbf{f}_i =
        \mathrm{softmax}(\mathrm{MLP}(\mathbf{x}_i)),

    with :math:`\mathbf{m}_i = \mathbf{y}_i` where the label is known. They
    lead to the mean of a Gaussian field, which depends on the mean graph
    only: :class:`~torch_geometric_vgcn.PosteriorMean` is exact.

    In training mode, labels aren't known, or their likelihood would be one.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        node (Tensor): The nodes with a known label, of shape :obj:`[n]`.
        value (Tensor): Their labels, of shape :obj:`[n, C]`: ones and zeros.
        input_dropout (float, optional): The share of features to drop.
            (default: :obj:`0.0`)
        dropout (float, optional): The share of hidden units to drop.
            (default: :obj:`0.5`)
    """

    node: Tensor
    value: Tensor

    @checked(
        in_channels=SIZE,
        hidden_channels=SIZE,
        input_dropout=SHARE,
        dropout=SHARE,
    )
    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        node: Tensor,
        value: Tensor,
        input_dropout: float = 0.0,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        check_tensor(node, '[n]', 'node')
        if node.dtype != torch.int64 or node.dim() != 1:
            raise ValueError(
                "'node' must hold int64 node ids of shape [n], got "
                f'{node.dtype} of shape {list(node.shape)}'
            )
        check_floats(value, (node.numel(), 'C'), 'value')
        self.hidden = Linear(in_channels, hidden_channels)
        self.out = Linear(hidden_channels, value.size(1))
        self.input_dropout = input_dropout
        self.dropout = dropout
        self.sum = APPNP(1, 0.0, normalize=False)
        self.register_buffer('node', node, persistent=False)
        self.register_buffer('value', value, persistent=False)

    def reset_parameters(self) -> None:
        self.hidden.reset_parameters()
        self.out.reset_parameters()

    def alone(
        self, x: Tensor, generator: torch.Generator | None = None
    ) -> Tensor:
        r"""The outputs for nodes by their own features alone, in the precision
        of the features.
        """
        x = self._dropped(x, self.input_dropout, generator)
        h = _linear(self.hidden, x).relu()
        return _linear(self.out, self._dropped(h, self.dropout, generator))

    def _dropped(
        self, x: Tensor, share: float, generator: torch.Generator | None
    ) -> Tensor:
        r"""PyTorch's dropout, which takes no generator."""
        if not self.training or share == 0:
            return x
        kept = torch.empty_like(x).bernoulli_(1 - share, generator=generator)
        return x * kept.div_(1 - share)

    def mean(self, out: Tensor) -> Tensor:
        r"""The mean labels that outputs stand for."""
        return out.softmax(dim=-1)

    def output(self, mean: Tensor) -> Tensor:
        r"""The outputs that stand for mean labels."""
        return mean.clamp(min=TINY).log()

    def loss(self, out: Tensor, target: Tensor) -> Tensor:
        r"""How far outputs are from their targets."""
        return cross_entropy(out, target)

    def sharpened(self, mean: Tensor, temperature: float) -> Tensor:
        r"""The targets of the bound at a temperature."""
        return (self.output(mean) / temperature).softmax(dim=-1)

    def forward(
        self, x: Tensor, edge_index: Any, edge_weight: Tensor | None = None
    ) -> Tensor:
        r"""The logarithms of class probabilities, of shape :obj:`[N, C]`."""
        own = torch.cat([self.mean(self.alone(b)) for b in x.split(BLOCK)])
        known = not self.training
        if known:
            own = own.index_copy(0, self.node, self.value)
        one = torch.ones_like(own[:, :1])
        total = 1 + self.sum(one, edge_index, edge_weight)
        mean = own
        for _ in range(SWEEPS):
            old = mean
            mean = (own + self.sum(old, edge_index, edge_weight)) / total
            if known:
                mean = mean.index_copy(0, self.node, self.value)
                if float((mean - old).abs().max()) < CLOSE:
                    break
        return self.output(mean)


def _linear(layer: Linear, x: Tensor) -> Tensor:
    return linear(x, layer.weight.to(x.dtype), layer.bias.to(x.dtype))


class ValuePropagation(LabelPropagation):
    r"""The same for quantities, of shape :obj:`[n, D]`."""

    def mean(self, out: Tensor) -> Tensor:
        return out

    def output(self, mean: Tensor) -> Tensor:
        return mean

    def loss(self, out: Tensor, target: Tensor) -> Tensor:
        return mse_loss(out, target)

    def sharpened(self, mean: Tensor, temperature: float) -> Tensor:
        return mean
