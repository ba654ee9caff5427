from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, dropout
from torch_geometric import seed_everything
from torch_geometric.data import Data
from torch_geometric.nn.inits import glorot
from torch_geometric.utils import to_torch_csr_tensor

from benchmarks.paper.systems.base import BestEpoch, Outcome, System
from benchmarks.paper.systems.bernoulli_graph import BernoulliGraph
from torch_geometric_vgcn.transforms import StratifiedSplit

HIDDEN = 16
BETA1, BETA2, EPS = 0.9, 0.999, 1e-8  # as in torch.optim.Adam


class Product(torch.autograd.Function):
    r"""The product of a constant factor and a dense matrix. Its gradient is
    such a product too, so it can be differentiated again.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: 'Factor') -> Tensor:
        ctx.factor = factor
        return factor.matrix @ x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.factor.transposed(grad), None


class Factor:
    r"""A sparse matrix to multiply with.

    Args:
        matrix (Tensor): The matrix, in compressed rows.
    """

    transposed: 'Factor'

    def __init__(self, matrix: Tensor) -> None:
        self.matrix = matrix

    def __call__(self, x: Tensor) -> Tensor:
        return Product.apply(x, self)


class Features(Factor):
    r"""The node features, as a sparse matrix.

    Args:
        x (Tensor): The features.
    """

    def __init__(self, x: Tensor) -> None:
        super().__init__(x.to_sparse_csr())
        self.transposed = Factor(x.t().to_sparse_csr())
        self.transposed.transposed = self


class RecordedGraph(Factor):
    r"""A symmetric adjacency matrix :math:`\mathbf{A}` that remembers its
    products :math:`\mathbf{Y} = \mathbf{A} \mathbf{X}`, including those of
    backward passes. With the gradients :math:`\overline{\mathbf{Y}}` of a loss
    with respect to them, the gradient for :math:`\mathbf{A}` is the sum of all
    :math:`\overline{\mathbf{Y}} \mathbf{X}^{\top}`: dense, but of low rank.

    Args:
        pairs (Tensor): Each edge once, of shape :obj:`[2, E]`.
        like (Tensor): A matrix with one row per node; the products have its
            type.
    """

    def __init__(self, pairs: Tensor, like: Tensor) -> None:
        num_nodes = like.size(0)
        edge_index = torch.cat([pairs, pairs.flip(0)], dim=1)
        weight = like.new_ones(edge_index.size(1))
        size = (num_nodes, num_nodes)
        super().__init__(to_torch_csr_tensor(edge_index, weight, size))
        ones = like.new_ones(num_nodes, 1)
        degree = (self.matrix @ ones).requires_grad_()
        self.record = [(ones, degree)]
        self.scale = (degree + 1).rsqrt()

    @property
    def transposed(self) -> 'RecordedGraph':  # type: ignore[override]
        return self

    def __call__(self, x: Tensor) -> Tensor:
        y = super().__call__(x)
        if y.requires_grad:
            self.record.append((x.detach(), y))
        return y

    def propagate(self, x: Tensor) -> Tensor:
        r"""The product :math:`\mathbf{D}^{-1/2} (\mathbf{A} + \mathbf{I})
        \mathbf{D}^{-1/2} \mathbf{X}` of a GCN's layer.
        """
        x = self.scale * x
        return self.scale * (self(x) + x)


def graph_gradient(
    loss: Tensor, graphs: list[RecordedGraph]
) -> tuple[Tensor, Tensor]:
    r"""The matrices :math:`\mathbf{L}` and :math:`\mathbf{R}` with
    :math:`\mathbf{L} \mathbf{R}^{\top}` the sum of the gradients of
    :obj:`loss` with respect to the adjacency matrices. Their records are
    cleared.
    """
    record = [entry for graph in graphs for entry in graph.record]
    grads = torch.autograd.grad(
        loss, [y for _, y in record], allow_unused=True
    )
    for graph in graphs:
        # Breaks the reference cycle between the graph and its products:
        graph.record.clear()
    used = [place for place, grad in enumerate(grads) if grad is not None]
    left = torch.cat([grads[place] for place in used], dim=1)
    right = torch.cat([record[place][0] for place in used], dim=1)
    return left, right


class InnerProblem:
    r"""The weights of a two-layer GCN, and steps of Adam that can be
    differentiated: the weights stay a function of the graphs that they were
    trained on, until :meth:`cut`.

    Args:
        x (Tensor): The node features.
        y (Tensor): The classes; those of :obj:`nodes` are used.
        nodes (Tensor): The nodes to train on.
        lr (float): The learning rate.
        weight_decay (float): The L2 penalty on the first layer's weights.
        dropout (float, optional): The dropout rate of the hidden layer.
            (default: :obj:`0.5`)
    """

    def __init__(
        self,
        x: Tensor,
        y: Tensor,
        nodes: Tensor,
        lr: float,
        weight_decay: float,
        dropout: float = 0.5,
    ) -> None:
        self.x = Features(x)
        self.y = y
        self.nodes = nodes
        self.lr = lr
        self.weight_decay = weight_decay
        self.dropout = dropout
        num_classes = int(y.max()) + 1
        weight1 = x.new_empty(x.size(1), HIDDEN)
        weight2 = x.new_empty(HIDDEN, num_classes)
        glorot(weight1)
        glorot(weight2)
        zeros = x.new_zeros(HIDDEN), x.new_zeros(num_classes)
        self.weights = [weight1, zeros[0], weight2, zeros[1]]
        self.mean = [torch.zeros_like(w) for w in self.weights]
        self.square = [torch.zeros_like(w) for w in self.weights]
        self.num_steps = 0
        self.cut()

    def cut(self) -> None:
        r"""Treats the current weights as constants from here on."""
        self.weights = [w.detach().requires_grad_() for w in self.weights]
        self.mean = [m.detach() for m in self.mean]
        self.square = [s.detach() for s in self.square]

    def logits(
        self, graphs: list[RecordedGraph], dropout_rate: float = 0.0
    ) -> Iterator[Tensor]:
        r"""The network's output on each graph."""
        weight1, bias1, weight2, bias2 = self.weights
        x = self.x(weight1)
        for graph in graphs:
            h = (graph.propagate(x) + bias1).relu()
            h = dropout(h, dropout_rate)
            yield graph.propagate(h @ weight2) + bias2

    def loss(
        self, graph: RecordedGraph, nodes: Tensor, dropout_rate: float = 0.0
    ) -> Tensor:
        r"""The cross-entropy of some nodes."""
        (out,) = self.logits([graph], dropout_rate)
        return cross_entropy(out[nodes], self.y[nodes])

    def step(self, graph: RecordedGraph) -> None:
        r"""One step of Adam on a graph."""
        penalty = self.weight_decay / 2 * self.weights[0].square().sum()
        loss = self.loss(graph, self.nodes, self.dropout) + penalty
        grads = torch.autograd.grad(loss, self.weights, create_graph=True)
        self.num_steps += 1
        self.mean = [
            BETA1 * m + (1 - BETA1) * g
            for m, g in zip(self.mean, grads, strict=True)
        ]
        self.square = [
            BETA2 * s + (1 - BETA2) * g.square()
            for s, g in zip(self.square, grads, strict=True)
        ]
        lr = self.lr / (1 - BETA1**self.num_steps)
        unbiased = 1 - BETA2**self.num_steps
        # Inside the root, as a root has no derivative at zero:
        self.weights = [
            w - lr * m / (s / unbiased + EPS**2).sqrt()
            for w, m, s in zip(
                self.weights, self.mean, self.square, strict=True
            )
        ]


class LDS(System):
    r"""Learning discrete structures, from the `"Learning Discrete Structures
    for Graph Neural Networks" <https://arxiv.org/abs/1903.11960>`_ paper:

    .. math::
        \min_{\boldsymbol{\theta} \in [0, 1]^{N (N - 1) / 2}}
        \mathbb{E}_{\mathbf{A} \sim \textrm{Ber}(\boldsymbol{\theta})}
        F(\mathbf{w}_{\boldsymbol{\theta}}, \mathbf{A})
        \quad \textrm{with} \quad
        \mathbf{w}_{\boldsymbol{\theta}} = \arg\min_{\mathbf{w}}
        \mathbb{E}_{\mathbf{A} \sim \textrm{Ber}(\boldsymbol{\theta})}
        L(\mathbf{w}, \mathbf{A})

    The inner steps train a GCN's weights on sampled graphs. After every
    :obj:`tau` steps, the edge probabilities of all pairs are updated by the
    gradient of the outer loss through those steps, with the straight-through
    estimator for the samples. Predictions are the mean over 16 graphs.

    The paper uses the training nodes for the inner problem and half of the
    validation nodes for the outer one. Here both are training nodes, so they
    are split at random within each class: a third for the inner problem,
    about the paper's share on the citation networks.
    """

    title = 'LDS'
    settings = ({'lr': 0.02, 'outer_lr': 5.0, 'weight_decay': 5e-4},)

    def train(
        self,
        data: Data,
        seed: int,
        lr: float,
        outer_lr: float,
        weight_decay: float,
        tau: int = 5,
        epochs: int = 80,
        patience: int = 40,
    ) -> Outcome:
        seed_everything(seed)
        generator = torch.Generator().manual_seed(seed)
        theta = BernoulliGraph.of_graph(
            data.edge_index, data.num_nodes, generator
        )
        inner_nodes, outer_nodes = split(data, seed)
        inner = InnerProblem(data.x, data.y, inner_nodes, lr, weight_decay)
        best = BestEpoch(data, patience)
        for _ in range(epochs):
            inner.cut()
            graphs = sample(theta, data.x, tau + 1)
            for graph in graphs[:-1]:
                inner.step(graph)
            loss = inner.loss(graphs[-1], outer_nodes)
            theta.descend(*graph_gradient(loss, graphs), outer_lr)
            with torch.no_grad():
                outs = inner.logits(sample(theta, data.x, 16))
                prob = torch.stack([out.softmax(-1) for out in outs]).mean(0)
            if not best.look(prob):
                break
        return best.outcome


def sample(
    theta: BernoulliGraph, x: Tensor, count: int
) -> list[RecordedGraph]:
    return [RecordedGraph(theta.sample(), x) for _ in range(count)]


def split(
    data: Data, seed: int, share: float = 1 / 3
) -> tuple[Tensor, Tensor]:
    r"""The nodes of the inner and of the outer problem."""
    nodes = data.train_mask.nonzero().view(-1)
    part = Data(y=data.y[nodes], num_nodes=nodes.numel())
    part = StratifiedSplit(share, 0, seed=seed)(part)
    return nodes[part.train_mask], nodes[part.test_mask]
