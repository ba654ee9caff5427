from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from torch_geometric_vgcn.sample import BackgroundEdges, GraphSample

SHARE = 0.7  # of the edges are there
MOST = 2**12  # of the pairs have edges, enough to tell any difference


@dataclass(eq=False, kw_only=True)
class SomeEdges(GraphSample):
    r"""Graphs to try a conv on, with weights in :math:`\{0, 1\}`. However many
    pairs there are, only some have edges, so that a trial costs little.

    Args:
        some (Tensor): The positions of pairs whose edges are passed on, of
            shape :obj:`[M]`. The weights of all others are zero.
        hard (bool): Whether edges of weight zero are left out.
    """

    some: Tensor
    hard: bool

    @staticmethod
    def of(sample: GraphSample, count: int, hard: bool) -> 'SomeEdges':
        r"""Some edges of the same pairs, for a number of graphs."""
        generator = torch.Generator().manual_seed(0)
        count, size = min(count, len(sample)), sample.weight.size(1)
        some = torch.arange(size)
        if size > MOST:
            some = torch.randint(size, (MOST,), generator=generator).unique()
        there = torch.rand((count, len(some)), generator=generator) < SHARE
        if len(some) > 1:  # always one edge of each kind
            there[:, 0], there[:, 1] = True, False
        some = some.to(sample.weight.device)
        weight = torch.zeros_like(sample.weight[:count]).detach()
        weight[:, some] = there.to(weight)
        edges = sample.background
        if edges is not None:
            index = edges.index[:, :count, :MOST]
            old = edges.weight[:count, :MOST]
            there = torch.rand(old.shape, generator=generator) < SHARE
            there = (old > 0) & there.to(old.device)
            edges = BackgroundEdges(index, there.to(weight.dtype))
        prior = sample.prior
        return SomeEdges(
            prior, prior.logits, weight, edges, some=some, hard=hard
        )

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        index = self.prior.pairs.index[:, self.some]
        weight = self.weight[s, self.some]
        if self.background is not None:
            others, more = self.background.of(s)
            index = torch.cat([index, others], dim=1)
            weight = torch.cat([weight, more])
        if self.hard:
            index, weight = index[:, weight > 0], weight[weight > 0]
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, torch.cat([weight, weight])

    def to(self, change: Callable[[Tensor], Tensor]) -> 'SomeEdges':
        r"""The same graphs with other numbers."""
        edges = self.background
        if edges is not None:
            edges = BackgroundEdges(edges.index, change(edges.weight))
        return replace(self, weight=change(self.weight), background=edges)

    def deleted(self) -> 'SomeEdges':
        r"""The same graphs with edges of weight zero left out."""
        return replace(self, hard=True)
