from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from torch_geometric_vgcn.sample import BackgroundEdges, GraphSample

SHARE = 0.7  # of the edges are there
MOST = 2**12  # of the pairs have edges, enough to tell routes apart


@dataclass(eq=False, kw_only=True)
class TrialSample(GraphSample):
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
    def of(sample: GraphSample) -> 'TrialSample':
        r"""Some edges of up to two graphs."""
        generator = torch.Generator().manual_seed(0)
        count, size = min(2, len(sample)), sample.weight.size(1)
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
            index, old = edges.index[:, :count, :MOST], edges.weight[:count]
            there = torch.rand(index.shape[1:], generator=generator) < SHARE
            there = (old[:, :MOST] > 0) & there.to(old.device)
            edges = BackgroundEdges(index, there.to(weight.dtype))
        prior, hard = sample.prior, not sample.pathwise
        return TrialSample(
            prior, prior.logits, weight, edges, some=some, hard=hard
        )

    def first(self, count: int) -> 'TrialSample':
        r"""Only the first graphs."""
        edges = self.background
        if edges is not None:
            edges = edges[:count]
        return replace(self, weight=self.weight[:count], background=edges)

    def to(self, precision: Callable[[Tensor], Tensor]) -> 'TrialSample':
        r"""The same graphs with other numbers."""
        edges = self.background
        if edges is not None:
            edges = BackgroundEdges(edges.index, precision(edges.weight))
        return replace(self, weight=precision(self.weight), background=edges)

    def without_edges(self) -> 'TrialSample':
        r"""As many graphs without any edge."""
        zero = self.to(torch.zeros_like)
        return replace(zero, some=self.some[:0])

    def has_edges(self) -> bool:
        r"""Whether any graph has any edge."""
        edges = self.background
        more = edges is not None and bool(edges.weight.any())
        return more or bool(self.weight.any())

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        if self.hard:
            edge_index, _ = self.left(s)
            return edge_index, self.weight.new_ones(edge_index.size(1))
        index = self.prior.pairs.index[:, self.some]
        return self._symmetric(s, index, self.weight[s, self.some])

    def left(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The edges of the :obj:`s`-th graph that aren't of weight zero, and
        for each edge of all pairs that are passed on whether it is one of
        them.
        """
        there = self.weight[s, self.some] > 0
        index = self.prior.pairs.index[:, self.some[there]]
        return self._symmetric(s, index, there)

    def _symmetric(
        self, s: int, index: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""BackgroundEdges of the pairs with those of the background, in both
        directions.
        """
        if self.background is not None:
            others, more = self.background.of(s)
            index = torch.cat([index, others], dim=1)
            weight = torch.cat([weight, more.to(weight.dtype)])
        edge_index = torch.cat([index, index.flip(0)], dim=1)
        return edge_index, torch.cat([weight, weight])
