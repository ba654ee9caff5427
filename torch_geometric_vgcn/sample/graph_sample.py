from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs, Pairs
from torch_geometric_vgcn.prior import Prior


@dataclass
class Edges:
    r"""The weighted undirected edges of :math:`S` graphs, each once. Those of
    no weight only fill up.
    """

    index: Tensor  # [2, S, M]
    weight: Tensor  # [S, M]


@dataclass
class Noise:
    r"""All the randomness of :math:`S` sampled graphs. The same noise gives
    the same graphs, up to the posterior's logits.
    """

    logistic: Tensor  # [S, P], standard logistic
    background: Edges | None = None

    def __len__(self) -> int:
        return self.logistic.size(0)

    def __getitem__(self, some: slice) -> 'Noise':
        r"""The randomness of some of the graphs."""
        edges = self.background
        if edges is not None:
            edges = Edges(edges.index[:, some], edges.weight[some])
        return Noise(self.logistic[some], edges)

    def subset(self, pairs: Pairs) -> 'Noise':
        r"""The randomness of a subset of the pairs, without a background."""
        if self.background is not None:
            raise ValueError(
                'the noise of background pairs has no subset: draw new noise '
                'for the mini-batch'
            )
        return Noise(self.logistic[:, pairs.position])


@dataclass
class GraphSample:
    r""":math:`S` graphs drawn from a posterior.

    Args:
        prior (Prior): The prior, with the pairs.
        logits (Tensor): The posterior's logits :math:`\theta`, of shape
            :obj:`[P]`.
        weight (Tensor): The sampled edge weights :math:`A`, of shape
            :obj:`[S, P]`.
        noise (Noise, optional): What they were drawn with.
            (default: :obj:`None`)
        temperature (float, optional): For relaxed samples, their temperature
            :math:`\tau`. (default: :obj:`None`)
        log_prob (Tensor, optional): For samples without a pathwise gradient,
            :math:`\log q(\mathbf{A})`, of shape :obj:`[S]`.
            (default: :obj:`None`)
    """

    prior: Prior
    logits: Tensor
    weight: Tensor
    noise: Noise | None = None
    temperature: float | None = None
    log_prob: Tensor | None = None

    def __len__(self) -> int:
        return self.weight.size(0)

    @property
    def relaxed(self) -> Tensor:
        r"""The logits :math:`B = (\theta + L) / \tau` of relaxed weights
        :math:`A = \sigma(B)`, of shape :obj:`[S, P]`.
        """
        if self.noise is None or self.temperature is None:
            raise TypeError(
                'relaxed samples (BinaryConcrete) have logits, got discrete '
                'or mean ones'
            )
        return (self.logits + self.noise.logistic) / self.temperature

    @property
    def background(self) -> Edges | None:
        r"""The edges outside the pairs."""
        return None if self.noise is None else self.noise.background

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index` and
        :obj:`edge_weight`.
        """
        index, weight = self.prior.pairs.index, self.weight[s]
        if self.background is not None:
            index = torch.cat([index, self.background.index[:, s]], dim=1)
            weight = torch.cat([weight, self.background.weight[s]])
        if self.log_prob is not None:
            # Hard and without a gradient: only the edges that are there.
            kept = weight.nonzero().view(-1)
            index, weight = index[:, kept], weight[kept]
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
        adj = weight.new_zeros(n, n)
        return adj.index_put(tuple(edge_index), weight, accumulate=True)
