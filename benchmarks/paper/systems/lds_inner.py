from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, dropout
from torch_geometric.nn.inits import glorot

from systems.lds_products import Features, RecordedGraph

HIDDEN = 16
BETA1, BETA2, EPS = 0.9, 0.999, 1e-8  # as in torch.optim.Adam


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
