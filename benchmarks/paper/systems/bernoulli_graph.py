import math

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.utils import Triangle, pair_at

FAINT = 1e-2  # pairs up to this probability are drawn jointly


class BernoulliGraph:
    r"""A random graph whose pairs of nodes are independent,
    :math:`A_{ij} \sim \textrm{Ber}(\theta_{ij})`, for all
    :math:`N (N - 1) / 2` of them.

    Args:
        prob (Tensor): The probabilities, in the order of
            :class:`~torch_geometric_vgcn.AllPairs`.
        num_nodes (int): The number of nodes.
        generator (torch.Generator): The source of randomness.
    """

    def __init__(
        self, prob: Tensor, num_nodes: int, generator: torch.Generator
    ) -> None:
        self.num_nodes = num_nodes
        self.generator = generator
        self.triangle = Triangle(num_nodes, prob.device)
        self.prob = prob
        self._set_solid()

    @classmethod
    def of_graph(
        cls, edge_index: Tensor, num_nodes: int, generator: torch.Generator
    ) -> 'BernoulliGraph':
        r"""The random graph that equals a given graph with probability 1."""
        prob = AllPairs(num_nodes).contains(edge_index).float()
        return cls(prob, num_nodes, generator)

    def sample(self) -> Tensor:
        r"""Draws a graph: its edges, each once, of shape :obj:`[2, E]`.

        Most pairs are improbable, and aren't drawn one by one: a Poisson
        number of pairs is proposed at random, each proposal is accepted in
        proportion to its pair's rate :math:`-\log(1 - \theta)`, and a pair
        that is accepted at least once is an edge. This has the probability
        :math:`\theta`.
        """
        solid = self.solid
        drawn = solid[self._uniform(solid.numel()) < self.prob[solid]]
        rate, total = -math.log1p(-FAINT), self.prob.numel()
        mean = torch.tensor(rate * total, dtype=torch.double)
        count = int(torch.poisson(mean, generator=self.generator))
        place = torch.randint(total, (count,), generator=self.generator)
        prob = self.prob[place]
        kept = self._uniform(count) * rate < -torch.log1p(-prob)
        faint = place[kept & (prob <= FAINT)].unique()
        return pair_at(torch.cat([drawn, faint]), self.num_nodes)

    def descend(self, left: Tensor, right: Tensor, lr: float) -> None:
        r"""Takes a step against the gradient :math:`\mathbf{L}
        \mathbf{R}^{\top}` with respect to the adjacency matrix, and clamps
        to :math:`[0, 1]`.
        """
        grad = self.triangle.dot(left[None], right[None])[0]
        self.prob.sub_(grad, alpha=lr).clamp_(0, 1)
        self._set_solid()

    def _set_solid(self) -> None:
        self.solid = (self.prob > FAINT).nonzero().view(-1)

    def _uniform(self, count: int) -> Tensor:
        return torch.rand(count, generator=self.generator)
