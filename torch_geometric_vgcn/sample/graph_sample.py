from dataclasses import dataclass, field

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.prior import Prior


@dataclass
class Edges:
    r"""Weighted undirected edges, each once."""

    index: Tensor  # [2, M]
    weight: Tensor  # [M]


@dataclass
class Noise:
    r"""All the randomness of :math:`S` sampled graphs. The same noise gives
    the same graphs, up to the posterior's logits.
    """

    logistic: Tensor  # [S, P], standard logistic
    background: list[Edges] = field(default_factory=list)

    def __len__(self) -> int:
        return self.logistic.size(0)


@dataclass
class GraphSample:
    r""":math:`S` graphs drawn from a posterior.

    Args:
        prior (Prior): The prior, with the pairs.
        logits (Tensor): The posterior's logits :math:`\theta`, of shape
            :obj:`[P]`.
        weight (Tensor): The sampled edge weights :math:`A`, of shape
            :obj:`[S, P]`.
        relaxed (Tensor, optional): For relaxed samples, their logits
            :math:`B` with :math:`A = \sigma(B)`, of shape :obj:`[S, P]`.
            (default: :obj:`None`)
        temperature (float, optional): Their temperature :math:`\tau`.
            (default: :obj:`None`)
        log_prob (Tensor, optional): For samples without a pathwise gradient,
            :math:`\log q(\mathbf{A})`, of shape :obj:`[S]`.
            (default: :obj:`None`)
        background (List[Edges], optional): For each graph the edges outside
            the pairs. (default: none)
    """

    prior: Prior
    logits: Tensor
    weight: Tensor
    relaxed: Tensor | None = None
    temperature: float | None = None
    log_prob: Tensor | None = None
    background: list[Edges] = field(default_factory=list)

    def __len__(self) -> int:
        return self.weight.size(0)

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index` and
        :obj:`edge_weight`.
        """
        index, weight = self.prior.pairs.index, self.weight[s]
        if self.log_prob is not None:
            # Hard and without a gradient: only the edges that are there.
            kept = weight.nonzero().view(-1)
            index, weight = index[:, kept], weight[kept]
        if self.background:
            index = torch.cat([index, self.background[s].index], dim=1)
            weight = torch.cat([weight, self.background[s].weight])
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, torch.cat([weight, weight])

    def adjacency(self, s: int) -> Tensor:
        r"""The :obj:`s`-th graph as a dense symmetric matrix
        :obj:`[N, N]`.
        """
        pairs = self.prior.pairs
        if isinstance(pairs, AllPairs):
            return pairs.to_dense(self.weight[s])
        edge_index, weight = self.edges(s)
        n = pairs.num_nodes
        return weight.new_zeros(n, n).index_put(tuple(edge_index), weight)
