from itertools import count

import torch
from torch import Tensor

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.message_passing import ConvCall, attributes_of
from torch_geometric_vgcn.message_passing.shallow_copy import evaluated
from torch_geometric_vgcn.sample import Bernoulli, GraphSample

PROBES = 8  # nodes whose outputs are compared
WIDEST = 64  # nodes at each distance from them
CLOSE = 1e-5  # of the largest value


class ReceptiveField:
    r"""The nodes that the predictions of some nodes depend on: those within
    as many hops, along the prior's pairs, as a learner's network and the
    encoder of its posterior look.

    The number of hops is measured on a few nodes: it is that from which on
    further nodes change nothing. So it doesn't matter how a network is made.
    Where each node depends on all others (normalisation over the whole graph)
    there is no such number, and all nodes that can be reached belong to it.

    Args:
        learner (VariationalGraphLearner): The learner.
        x (Tensor): The features of all nodes, of shape :obj:`[N, F]`.
        num_hops (int, optional): The number of hops.
            (default: :obj:`None`, measured)
    """

    def __init__(
        self,
        learner: VariationalGraphLearner,
        x: Tensor,
        num_hops: int | None = None,
    ) -> None:
        self.learner = learner
        self.x = x
        self.num_hops = num_hops

    def __call__(self, node_id: Tensor) -> Tensor:
        r"""The nodes :obj:`node_id`, and then the others."""
        nodes = ring = node_id
        for hops in count():
            if hops == self.num_hops:
                break
            ring = self._beyond(ring, nodes)
            if ring.numel() == 0:
                break
            nodes = torch.cat([nodes, ring])
            if self.num_hops is None:
                self.num_hops = self._measure()
        return nodes

    def _beyond(self, ring: Tensor, known: Tensor) -> Tensor:
        r"""The neighbours of some nodes that aren't known yet."""
        near = self.learner.prior.pairs.neighbors(ring)
        return near[~torch.isin(near, known)]

    def _measure(self) -> int:
        r"""The number of hops, or that of all nodes if there is none."""
        pairs = self.learner.prior.pairs
        probes = torch.linspace(0, pairs.num_nodes - 1, PROBES).long()
        found = [self._from(node) for node in probes.to(pairs.device)]
        if not any(complete for _, complete in found):
            return pairs.num_nodes
        return max(hops for hops, _ in found)

    @torch.no_grad()
    def _from(self, node: Tensor) -> tuple[int, bool]:
        r"""How many hops make a difference to one node, and whether more
        make none; otherwise the graph ended before that could be seen.
        """
        model = _Parts(self.learner)
        nodes = ring = known = node.view(1)
        # For the network and for the posterior:
        needed: list[int | None] = [None, None]
        before: tuple[Tensor, ...] = ()
        inner = 0
        for hops in count(1):
            near = self._beyond(ring, known)
            known = torch.cat([known, near])
            ring = near[:WIDEST]  # a part of the graph will do
            if ring.numel() == 0:
                return max(1, hops - 1), False
            nodes = torch.cat([nodes, ring])
            inner = inner or nodes.numel()
            now = model(rows(self.x, nodes), nodes, inner)
            for place, (old, new) in enumerate(zip(before, now, strict=False)):
                if needed[place] is None and _close(old, new):
                    needed[place] = hops - 1
            before = now
            if None not in needed:
                # Some of the logits' nodes are one hop away already:
                return sum(needed) - 1, True  # type: ignore[arg-type]
        raise AssertionError


class _Parts:
    r"""What depends on the graph: the outputs of a node, and the logits of
    the pairs around it, with all candidates of a part of the graph as edges.
    """

    def __init__(self, learner: VariationalGraphLearner) -> None:
        self.prior = learner.prior
        self.conv = evaluated(learner.conv)
        self.posterior = evaluated(learner.posterior)
        self.route = ConvCall(self.conv, Bernoulli())

    def __call__(
        self, x: Tensor, nodes: Tensor, inner: int
    ) -> tuple[Tensor, ...]:
        prior = self.prior.subset(nodes)
        x = x.to_dense().to(prior.logits.device)
        weight = torch.ones_like(prior.logits).unsqueeze(0)
        # Real edges, so that no weights have to be taken:
        none = weight.new_zeros(1)
        sample = GraphSample(prior, prior.logits, weight, log_prob=none)
        out = self.route(self.conv, x, sample, attributes_of(prior))
        logits = self.posterior(prior, x)
        row, col = prior.pairs.index
        return out[0], logits[(row < inner) & (col < inner)]


def _close(old: Tensor, new: Tensor) -> bool:
    close = max(CLOSE, 4 * torch.finfo(new.dtype).eps)
    scale = torch.maximum(old.abs().max(), new.abs().max())
    return bool((old - new).abs().max() <= close * scale)


def rows(x: Tensor, n_id: Tensor) -> Tensor:
    r"""Some rows of dense or sparse features."""
    return x.index_select(0, n_id.to(x.device))
