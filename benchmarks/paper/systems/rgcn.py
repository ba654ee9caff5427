import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, elu
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import Linear
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import to_torch_csr_tensor

from benchmarks.paper.systems.base import (
    BestEpoch,
    Outcome,
    System,
    num_classes,
    with_fast_features,
)
from torch_geometric_vgcn.message_passing import SparseDropout

TINY = 1e-8  # keeps roots and logarithms finite if a variance is zero


class RGCN(System):
    r"""The robust graph convolutional network of the `"Robust Graph
    Convolutional Networks Against Adversarial Attacks"
    <https://doi.org/10.1145/3292500.3330851>`_ paper, on the unchanged graph.

    It is trained on one sample of the last layer per step, and predicts with
    the means.
    """

    title = 'RGCN'
    settings = (
        {'lr': 0.01, 'weight_decay': 5e-4, 'hidden': 32},
        {'lr': 0.01, 'weight_decay': 5e-4, 'hidden': 16},
    )

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        weight_decay: float,
        hidden: int,
        beta: float = 5e-4,
        epochs: int = 200,
        patience: int = 50,
    ) -> Outcome:
        seed_everything(seed)
        data = with_fast_features(data)
        net = GaussianNet(data.num_features, hidden, num_classes(data))
        first, second = net.conv1.parameters(), net.conv2.parameters()
        optimizer = torch.optim.Adam(
            [
                {'params': first, 'weight_decay': weight_decay},
                {'params': second},
            ],
            lr,
        )
        graph = GaussianGraph(data.edge_index, data.num_nodes)
        best = BestEpoch(data, patience)
        for _ in range(epochs):
            net.train()
            optimizer.zero_grad()
            mean, var, kl = net(data.x, graph)
            out = mean + (var + TINY).sqrt() * torch.randn_like(mean)
            mask = data.train_mask
            loss = cross_entropy(out[mask], data.y[mask]) + beta * kl
            loss.backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                mean, _, _ = net(data.x, graph)
            if not best.look(mean.softmax(dim=-1)):
                break
        return best.outcome


class GaussianGraph:
    r"""The matrices by which means and variances of independent Gaussians are
    propagated, :math:`\mathbf{P} = \mathbf{D}^{-1/2} (\mathbf{A} +
    \mathbf{I}) \mathbf{D}^{-1/2}` and, with the squares of its entries,
    :math:`\mathbf{D}^{-1} (\mathbf{A} + \mathbf{I}) \mathbf{D}^{-1}`.

    Args:
        edge_index (Tensor): The edges.
        num_nodes (int): The number of nodes.
        dtype (torch.dtype, optional): The type of the entries.
            (default: :obj:`None`)
    """

    def __init__(
        self,
        edge_index: Tensor,
        num_nodes: int,
        dtype: torch.dtype | None = None,
    ) -> None:
        edge, weight = gcn_norm(edge_index, num_nodes=num_nodes, dtype=dtype)
        size = (num_nodes, num_nodes)
        self.mean = to_torch_csr_tensor(edge, weight, size)
        self.var = to_torch_csr_tensor(edge, weight**2, size)


class GaussianConv(torch.nn.Module):
    r"""The Gaussian-based graph convolution with variance-based attention

    .. math::
        \mathbf{M} &= \mathrm{ELU}(\mathbf{X} \mathbf{W}_{\mu}), \quad
        \boldsymbol{\Sigma} = \mathrm{ReLU}(\mathbf{Y} \mathbf{W}_{\sigma}),
        \quad \boldsymbol{\alpha} = \exp(-\gamma \boldsymbol{\Sigma})

        \mathbf{X}' &= \mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I})
        \mathbf{D}^{-1/2} (\mathbf{M} \odot \boldsymbol{\alpha}), \quad
        \mathbf{Y}' = \mathbf{D}^{-1} (\mathbf{A} + \mathbf{I})
        \mathbf{D}^{-1} (\boldsymbol{\Sigma} \odot \boldsymbol{\alpha} \odot
        \boldsymbol{\alpha})

    of means :math:`\mathbf{X}` and variances :math:`\mathbf{Y}`.

    Args:
        in_channels (int): The size of the input.
        out_channels (int): The size of the output.
        gamma (float, optional): How strongly variances lower attention.
            (default: :obj:`1.0`)
    """

    def __init__(
        self, in_channels: int, out_channels: int, gamma: float = 1.0
    ) -> None:
        super().__init__()
        shape = (in_channels, out_channels)
        self.lin_mean = Linear(*shape, bias=False, weight_initializer='glorot')
        self.lin_var = Linear(*shape, bias=False, weight_initializer='glorot')
        self.gamma = gamma

    def transform(self, mean: Tensor, var: Tensor) -> tuple[Tensor, Tensor]:
        r"""Transforms each node separately."""
        return elu(self.lin_mean(mean)), self.lin_var(var).relu()

    def propagate(
        self, mean: Tensor, var: Tensor, graph: GaussianGraph
    ) -> tuple[Tensor, Tensor]:
        r"""Propagates between nodes, with less weight for larger variances."""
        attention = (-self.gamma * var).exp()
        mean = graph.mean @ (mean * attention)
        return mean, graph.var @ (var * attention**2)

    def forward(
        self, mean: Tensor, var: Tensor, graph: GaussianGraph
    ) -> tuple[Tensor, Tensor]:
        return self.propagate(*self.transform(mean, var), graph)


class GaussianNet(torch.nn.Module):
    r"""Two Gaussian convolutions. The features are both the means and the
    variances of the input.

    Args:
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of classes.
        dropout (float, optional): The share to drop. (default: :obj:`0.6`)
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        dropout: float = 0.6,
    ) -> None:
        super().__init__()
        self.drop = SparseDropout(dropout)
        self.conv1 = GaussianConv(in_channels, hidden_channels)
        self.conv2 = GaussianConv(hidden_channels, out_channels)

    def forward(
        self, x: Tensor, graph: GaussianGraph
    ) -> tuple[Tensor, Tensor, Tensor]:
        r"""The last layer's means and variances, and the hidden units' KL
        divergence from the standard normal distribution.
        """
        x = self.drop(x)
        mean, var = self.conv1.transform(x, x)
        kl = kl_to_standard_normal(mean, var)
        mean, var = self.conv1.propagate(mean, var, graph)
        mean, var = self.conv2(self.drop(mean), self.drop(var), graph)
        return mean, var, kl


def kl_to_standard_normal(mean: Tensor, var: Tensor) -> Tensor:
    r"""The sum of all :math:`\mathrm{KL}[\mathcal{N}(\mu, \sigma^2) \,\|\,
    \mathcal{N}(0, 1)]`.
    """
    return 0.5 * (mean**2 + var - (var + TINY).log() - 1).sum()
