import threading
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from torch_geometric_vgcn.pairs import AllPairs, Pairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_count, check_kind


@dataclass
class BackgroundEdges:
    r"""The weighted undirected edges of :math:`S` graphs outside the prior's
    pairs, each once. Places with a weight of zero are empty: they hold no
    edge.
    """

    index: Tensor  # [2, S, M]
    weight: Tensor  # [S, M]

    def __getitem__(self, some: slice) -> 'BackgroundEdges':
        r"""The edges of some of the graphs."""
        return BackgroundEdges(self.index[:, some], self.weight[some])

    def of(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The edges of the :obj:`s`-th graph without empty places: pairs of
        shape :obj:`[2, M]` and their weights.
        """
        there = self.weight[s].nonzero().view(-1)
        return self.index[:, s, there], self.weight[s, there]


@dataclass
class Noise:
    r"""All the randomness of :math:`S` sampled graphs. The same noise gives
    the same graphs, up to the posterior's logits.
    """

    logistic: Tensor  # [S, P], standard logistic
    background: BackgroundEdges | None = None

    def __len__(self) -> int:
        return self.logistic.size(0)

    def __getitem__(self, some: slice) -> 'Noise':
        r"""The randomness of some of the graphs."""
        check_kind(some, slice, 'some')
        edges = self.background
        return Noise(
            self.logistic[some], None if edges is None else edges[some]
        )

    def subset(self, pairs: Pairs) -> 'Noise':
        r"""The randomness of a subset of the pairs, without a background."""
        check_kind(pairs, Pairs, 'pairs')
        if self.background is not None:
            raise ValueError(
                'the noise of background pairs has no subset: draw new noise '
                'for the mini-batch'
            )
        if pairs.position is None:
            raise ValueError(
                "'pairs' must be a subset of the pairs that the noise was "
                'drawn for, got pairs that are no subset'
            )
        return Noise(self.logistic[:, pairs.position])


@dataclass(eq=False)
class GraphSample:
    r""":math:`S` graphs drawn from a posterior.

    Args:
        prior (Prior): The prior, with the pairs.
        logits (Tensor): The posterior's logits :math:`\theta`, of shape
            :obj:`[P]`.
        weight (Tensor): The sampled edge weights :math:`A`, of shape
            :obj:`[S, P]`.
        background (BackgroundEdges, optional): The edges outside the pairs.
            (default: :obj:`None`)
        logistic (Tensor, optional): Of relaxed weights :math:`A = \sigma(B)`,
            :math:`B = (\theta + L) / \tau`: the noise :math:`L`, of shape
            :obj:`[S, P]`. (default: :obj:`None`)
        temperature (float, optional): Of relaxed weights: the temperature
            :math:`\tau`. (default: :obj:`None`)
        log_prob (Tensor, optional): Of weights in :math:`\{0, 1\}` that have
            no gradient: their log-probabilities :math:`\log q(\mathbf{A})`,
            of shape :obj:`[S]`, through which the logits get that of the score
            function. (default: :obj:`None`)
        some (Tensor, optional): The positions of the only pairs with a weight
            other than zero, so that the edges of all others need not be
            looked at. (default: :obj:`None`, any pair may have one)
    """

    prior: Prior
    logits: Tensor
    weight: Tensor
    background: BackgroundEdges | None = None
    logistic: Tensor | None = field(default=None, kw_only=True)
    temperature: float | None = field(default=None, kw_only=True)
    log_prob: Tensor | None = field(default=None, kw_only=True)
    some: Tensor | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return self.weight.size(0)

    @property
    def pathwise(self) -> bool:
        r"""Whether the logits get a gradient through the weights."""
        return self.log_prob is None

    @property
    def relaxed(self) -> Tensor:
        r"""The logits :math:`B` of relaxed weights, of shape
        :obj:`[S, P]`.
        """
        if self.logistic is None or self.temperature is None:
            raise ValueError('only relaxed weights have logits')
        return (self.logits + self.logistic) / self.temperature

    def score(self, value: Tensor) -> Tensor:
        r"""A term of value zero whose gradient is what that of the mean of
        :obj:`value`, of shape :obj:`[S]`, lacks: nothing, for samples with a
        pathwise gradient, and otherwise that of the score function.
        """
        if self.log_prob is None:
            return value.new_zeros(())
        s = len(self)
        if s < 2:
            raise ValueError(
                'the score-function gradient needs the other samples as '
                f"baseline: 'num_samples' must be at least 2, got {s}"
            )
        # f - (mean of the others) = (f - mean) * S / (S - 1)
        advantage = (value - value.mean()) * s / (s - 1)
        score = (advantage.detach() * self.log_prob).mean()
        return score - score.detach()

    def edges(self, s: int) -> tuple[Tensor, Tensor]:
        r"""The :obj:`s`-th graph as a symmetric :obj:`edge_index` and
        :obj:`edge_weight`. Without a pathwise gradient these are only the
        edges that are there.
        """
        check_count(s, 's', most=len(self) - 1)
        index, weight = self.prior.pairs.index, self.weight[s]
        if self.some is not None:
            index, weight = index[:, self.some], weight[self.some]
        if not self.pathwise:
            there = weight.nonzero().view(-1)
            index, weight = index[:, there], weight[there]
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


class Drawn(threading.local):
    r"""The graphs that a learner has drawn last, in each thread its own, and
    those that each output came from.
    """

    def __init__(self) -> None:
        self.last: GraphSample | None = None
        self._by_output = WeakTensorKeyDictionary()

    @torch.compiler.disable
    def remember(self, out: Tensor, sample: GraphSample) -> None:
        r"""Takes note of an output and its graphs."""
        self.last = self._by_output[out] = sample
        if out.grad_fn is not None:  # what is computed from it leads back
            node: Any = out.grad_fn
            node.metadata[self] = sample

    @torch.compiler.disable
    def behind(self, out: Tensor) -> GraphSample:
        r"""The graphs that produced :obj:`out`. Raises an error if they cannot
        be determined.
        """
        if self.last is None:
            raise RuntimeError(
                'no graph was sampled yet: call the learner before its '
                'objective'
            )
        if (sample := self._by_output.get(out)) is not None:
            return sample
        found: set[GraphSample] = set()
        seen: set[Any] = {None}
        todo: list[Any] = [out.grad_fn]
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen.add(node)
            if self in node.metadata:
                found.add(node.metadata[self])
            else:
                todo += [function for function, _ in node.next_functions]
        if len(found) != 1:
            raise RuntimeError(
                "cannot determine which sampled graphs produced 'out', which "
                f'depends on those of {len(found)} calls: keep sample = '
                'learner.sample right after the call of the model and pass '
                'it, objective(out, y, mask, sample=sample)'
            )
        return found.pop()

    def __reduce__(self) -> Any:
        # A sample belongs to an autograd graph and to a thread: not copied.
        return Drawn, ()
