from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import AllPairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.sample.noise import Edges
from torch_geometric_vgcn.utils import check_count


@dataclass(eq=False)
class GraphSample:
    r""":math:`S` graphs drawn from a posterior.

    Args:
        prior (Prior): The prior, with the pairs.
        logits (Tensor): The posterior's logits :math:`\theta`, of shape
            :obj:`[P]`.
        weight (Tensor): The sampled edge weights :math:`A`, of shape
            :obj:`[S, P]`.
        background (Edges, optional): The edges outside the pairs.
            (default: :obj:`None`)
    """

    # Whether the logits get a gradient through the weights:
    pathwise: ClassVar[bool] = True

    prior: Prior
    logits: Tensor
    weight: Tensor
    background: Edges | None = None

    def __len__(self) -> int:
        return self.weight.size(0)

    def score(self, value: Tensor) -> Tensor:
        r"""A term of value zero whose gradient is what that of the mean of
        :obj:`value`, of shape :obj:`[S]`, lacks: nothing, for samples with a
        pathwise gradient.
        """
        return value.new_zeros(())

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index` and
        :obj:`edge_weight`.
        """
        check_count(s, 's', most=len(self) - 1)
        index, weight = self.prior.pairs.index, self.weight[s]
        if self.background is not None:
            others, other_weight = self.background.of(s)
            index = torch.cat([index, others], dim=1)
            weight = torch.cat([weight, other_weight])
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, torch.cat([weight, weight])

    def dense(self, s: int) -> Tensor:
        r"""The :obj:`s`-th graph as a dense symmetric matrix
        :obj:`[N, N]`.
        """
        check_count(s, 's', most=len(self) - 1)
        pairs = self.prior.pairs
        if isinstance(pairs, AllPairs):
            return pairs.to_dense(self.weight[s])
        edge_index, weight = self.edges(s)
        n = pairs.num_nodes
        adj = weight.new_zeros(n, n)
        return adj.index_put(tuple(edge_index), weight, accumulate=True)
