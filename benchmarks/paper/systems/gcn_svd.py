import numpy as np
import torch
from scipy.sparse.linalg import svds
from torch import Tensor
from torch.nn.functional import relu
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn import Linear
from torch_geometric.utils import to_scipy_sparse_matrix

from benchmarks.paper.systems.base import (
    Outcome,
    System,
    num_classes,
    train_on_graph,
)
from torch_geometric_vgcn.message_passing import SparseDropout


class GCNSVD(System):
    r"""A GCN on a low-rank approximation of the adjacency matrix, of the "All
    You Need Is Low (Rank): Defending Against Adversarial Attacks on Graphs"
    paper (Entezari et al., WSDM 2020).

    The paper computes the dense matrix, of all pairs of nodes; here it is
    kept as its factors, see :class:`LowRankGraph`.
    """

    title = 'GCN-SVD'
    settings = (
        {'rank': 50, 'lr': 0.01, 'weight_decay': 5e-4},
        {'rank': 10, 'lr': 0.01, 'weight_decay': 5e-4},
        {'rank': 100, 'lr': 0.01, 'weight_decay': 5e-4},
    )

    def train(
        self,
        data: Data,
        seed: int,
        rank: int,
        lr: float,
        weight_decay: float,
        epochs: int = 400,
    ) -> Outcome:
        seed_everything(seed)
        graph = LowRankGraph(data.edge_index, data.num_nodes, rank)
        net = LowRankNet(graph, data.num_features, 16, num_classes(data))
        options = {'lr': lr, 'weight_decay': weight_decay, 'epochs': epochs}
        return train_on_graph(net, data, **options)


class LowRankGraph(torch.nn.Module):
    r"""Propagation by the normalised low-rank approximation of a graph

    .. math::
        \mathbf{P} = \mathbf{D}^{-1/2} (\mathbf{U} \boldsymbol{\Sigma}
        \mathbf{V}^{\top} + \mathbf{I}) \mathbf{D}^{-1/2}, \quad
        d_i = \max(1, (\mathbf{U} \boldsymbol{\Sigma} \mathbf{V}^{\top}
        \mathbf{1})_i + 1),

    with the largest singular values of the adjacency matrix. Nothing of
    :obj:`[N, N]` is formed: a product takes :math:`N \cdot` rank steps for
    each column. Entries below zero stay, as in the dense matrix; where they
    make the degree of a node less than that of its self-loop alone, it
    counts as one, whereas the dense matrix would be divided by the root of a
    number near or below zero.

    Args:
        edge_index (Tensor): The edges.
        num_nodes (int): The number of nodes.
        rank (int): The number of singular values, less than that of nodes
            (if not, all but one are taken).
    """

    left: Tensor
    right: Tensor
    scale: Tensor

    def __init__(self, edge_index: Tensor, num_nodes: int, rank: int) -> None:
        super().__init__()
        adj = to_scipy_sparse_matrix(edge_index, num_nodes=num_nodes).tocsr()
        # Always from the same vector, so that the factors are the same:
        start = np.random.default_rng(0).uniform(size=num_nodes)
        u, s, vt = svds(
            adj.astype(np.float64), k=min(rank, num_nodes - 1), v0=start
        )
        degree = (u * s) @ vt.sum(axis=1) + 1
        for name, array in (
            ('left', u * s),
            ('right', vt),
            ('scale', np.maximum(degree, 1)[:, None] ** -0.5),
        ):
            tensor = torch.from_numpy(np.ascontiguousarray(array)).float()
            self.register_buffer(name, tensor)

    def forward(self, x: Tensor) -> Tensor:
        x = self.scale * x
        return self.scale * (self.left @ (self.right @ x) + x)


class LowRankNet(torch.nn.Module):
    r"""The network of :class:`GCN` on a low-rank graph.

    Args:
        graph (LowRankGraph): The graph.
        in_channels (int): The number of features.
        hidden_channels (int): The number of hidden units.
        out_channels (int): The number of classes.
        dropout (float, optional): The share of hidden units to drop.
            (default: :obj:`0.5`)
    """

    def __init__(
        self,
        graph: LowRankGraph,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.graph = graph
        glorot = {'bias': False, 'weight_initializer': 'glorot'}
        self.lin1 = Linear(in_channels, hidden_channels, **glorot)
        self.lin2 = Linear(hidden_channels, out_channels, **glorot)
        self.bias1 = torch.nn.Parameter(torch.zeros(hidden_channels))
        self.bias2 = torch.nn.Parameter(torch.zeros(out_channels))
        self.drop = SparseDropout(dropout)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        r"""The outputs; the edges are not looked at."""
        x = relu(self.graph(self.lin1(x)) + self.bias1)
        return self.graph(self.lin2(self.drop(x))) + self.bias2
