import weakref

import pytest
import torch
from torch.nn.functional import cross_entropy, relu

from benchmarks.paper.systems.lds import (
    InnerProblem,
    RecordedGraph,
    graph_gradient,
    split,
)


def test_inner_and_outer_nodes_partition_the_training_nodes(communities):
    inner, outer = split(communities, seed=0, share=0.4)
    train = communities.train_mask.nonzero().view(-1)
    assert torch.equal(torch.cat([inner, outer]).sort().values, train)
    assert communities.y[inner].bincount().tolist() == [2, 2]


class Tiny:
    r"""Six nodes, two of them for the inner problem, two for the outer."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.x = torch.rand(6, 4, generator=generator).double()
        self.y = torch.tensor([0, 1, 0, 1, 0, 1])
        self.graphs = [
            torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]),
            torch.tensor([[0, 1, 0, 2], [2, 3, 4, 5]]),
            torch.tensor([[0, 1, 1, 3], [4, 3, 5, 5]]),
        ]
        torch.manual_seed(0)
        inner, self.outer = torch.tensor([0, 1]), torch.tensor([2, 3])
        self.inner = InnerProblem(self.x, self.y, inner, 0.05, 0.1, dropout=0)
        self.weights = self.inner.weights

    def dense_loss(self, change: torch.Tensor) -> torch.Tensor:
        r"""The outer loss with a symmetric change of all adjacency matrices,
        computed by torch's own optimiser and dense matrices.
        """
        weights = [w.detach().clone().requires_grad_() for w in self.weights]
        groups = [
            {'params': weights[:1], 'weight_decay': 0.1},
            {'params': weights[1:]},
        ]
        optimizer = torch.optim.Adam(groups, lr=0.05)
        for pairs in self.graphs:
            adj = torch.eye(6, dtype=torch.double) + change
            adj[pairs[0], pairs[1]] += 1
            adj[pairs[1], pairs[0]] += 1
            scale = adj.sum(1).rsqrt()
            adj = scale[:, None] * adj * scale
            hidden = relu(adj @ self.x @ weights[0] + weights[1])
            out = adj @ hidden @ weights[2] + weights[3]
            if pairs is self.graphs[-1]:
                return cross_entropy(out[self.outer], self.y[self.outer])
            nodes = self.inner.nodes
            optimizer.zero_grad()
            cross_entropy(out[nodes], self.y[nodes]).backward()
            optimizer.step()
        raise AssertionError


def test_the_gradient_includes_training_and_degrees():
    tiny = Tiny()
    numeric = torch.zeros(6, 6, dtype=torch.double)
    for i, j in torch.triu_indices(6, 6, 1).t().tolist():
        change = torch.zeros(6, 6, dtype=torch.double)
        change[i, j] = change[j, i] = 1e-6
        difference = tiny.dense_loss(change) - tiny.dense_loss(-change)
        numeric[i, j] = numeric[j, i] = difference.item() / 2e-6
    graphs = [RecordedGraph(pairs, tiny.x) for pairs in tiny.graphs]
    for graph in graphs[:-1]:
        tiny.inner.step(graph)
    loss = tiny.inner.loss(graphs[-1], tiny.outer)
    zero = torch.zeros(6, 6, dtype=torch.double)
    assert loss.item() == pytest.approx(tiny.dense_loss(zero).item())
    left, right = graph_gradient(loss, graphs)
    grad = left @ right.t()
    grad = (grad + grad.t()).fill_diagonal_(0)
    assert grad.abs().max() > 1e-2
    assert torch.allclose(grad, numeric, rtol=1e-4, atol=1e-6)


def test_graphs_are_freed_after_their_gradient():
    tiny = Tiny()
    graph = RecordedGraph(tiny.graphs[0], tiny.x)
    freed = weakref.ref(graph)
    tiny.inner.step(graph)
    graph_gradient(tiny.inner.loss(graph, tiny.outer), [graph])
    tiny.inner.cut()
    del graph
    assert freed() is None
