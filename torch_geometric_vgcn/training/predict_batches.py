import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.message_passing import ConvCall, attributes_of
from torch_geometric_vgcn.message_passing.shallow_copy import evaluated
from torch_geometric_vgcn.sample import Bernoulli, GraphSample, Noise
from torch_geometric_vgcn.training.memory_map import WholeRows
from torch_geometric_vgcn.utils import (
    check_count,
    check_features,
    check_kind,
    check_node_id,
    check_path,
)
from torch_geometric_vgcn.utils.ranks import Ranks

PROBES = 8  # nodes whose outputs are compared
WIDEST = 64  # nodes at each distance from them
CLOSE = 1e-5  # of the largest value


def predict_batches(
    learner: VariationalGraphLearner,
    x: Tensor,
    batches: Iterable[Tensor],
    num_samples: int | None = None,
    noise: Noise | None = None,
    out: str | Path | None = None,
    num_hops: int | None = None,
) -> Any:
    r"""The predictions for all nodes, as
    :meth:`VariationalGraphLearner.predict` gives them (for classes their
    probabilities, of shape :obj:`[N, C]`), batch by batch.

    The result is that of one call for all nodes: each batch is loaded with
    its border, all nodes that its predictions depend on. How far these are
    away is measured on a few nodes. Two layers of :class:`GCN` need three
    hops, the last one for degrees. With
    :class:`~torch_geometric_vgcn.pairs.ClusterPairs` and its :meth:`clusters`
    there is no border; where each node is near to all others it is the whole
    graph, and :obj:`num_hops` limits it. Only the pairs outside the
    candidates, of which a node has a few hundredths of an edge, are drawn
    among the nodes of a batch and its border.

    Args:
        learner (VariationalGraphLearner): The learner to predict with.
        x (Tensor): The features of all nodes, of shape :obj:`[N, F]`. They
            may be on another device than the learner.
        batches (Iterable[Tensor]): The ids of the nodes of each batch. Each
            node must be in one.
        num_samples (int, optional): The number of graphs.
            (default: :obj:`None`, 16, or as many as :obj:`noise` has)
        noise (Noise, optional): The randomness of all pairs, from
            :meth:`VariationalGraphLearner.noise`.
            (default: :obj:`None`, newly drawn)
        out (str or Path, optional): An :obj:`.npy` file to write the
            probabilities to, as float32. The result is a memory map of it.
            (default: :obj:`None`)
        num_hops (int, optional): How many hops around their batch nodes see
            at most; with :obj:`0` only the batch itself. Fewer than the
            network looks cost accuracy.
            (default: :obj:`None`, as many as it looks)
    """
    check_kind(learner, VariationalGraphLearner, 'learner')
    check_kind(batches, Iterable, 'batches')
    n = learner.prior.num_nodes
    check_features(x, n)
    if num_hops is not None:
        num_hops = check_count(num_hops, 'num_hops')
    device = learner.prior.pairs.device
    field = ReceptiveField(learner, x, num_hops)
    path = None if out is None else check_path(out, 'out')

    def predictions() -> Iterator[tuple[Tensor, Any]]:
        nodes = [torch.empty(0, device=device).long()]
        for n_id in batches:
            check_kind(n_id, Tensor, 'batches')
            check_node_id(n_id, n, 'batches', least=1)
            n_id = n_id.to(device).long()
            seen = field(n_id)
            if seen.numel() == 1:  # a node without pairs, and any other one
                seen = torch.cat([seen, (seen + 1) % n])
            prior = learner.prior.subset(seen)
            own = None if noise is None else noise.subset(prior.pairs)
            part = rows(x, seen).to(device)
            prob = learner.predict(part, num_samples, prior, own)
            nodes.append(n_id)
            size = n_id.numel()  # without its border
            yield n_id, of_parts(prob, lambda part, size=size: part[:size])
        node = torch.cat(nodes)
        each = torch.arange(n, device=device)
        if not torch.equal(node.sort().values, each):
            raise ValueError(
                f"'batches' must hold each of the {n} nodes once, "
                f'got {node.unique().numel()} nodes in {node.numel()} places'
            )

    if path is not None:
        key = secrets.randbits(64)
        with WholeRows(path, n, Ranks(), key) as disk:
            for n_id, prob in predictions():
                disk.write(n_id, prob)
            return disk.finish()
    nodes, parts = zip(*predictions(), strict=True)
    node = torch.cat(nodes)
    return of_parts(
        stacked(parts),
        lambda part: torch.empty_like(part).index_copy_(0, node, part),
    )


def of_parts(prediction: Any, f: Callable[..., Tensor]) -> Any:
    r"""A function of a prediction, or of each part of a named tuple, such as
    of mean and variance.
    """
    if isinstance(prediction, Tensor):
        return f(prediction)
    return type(prediction)(*map(f, prediction))


def stacked(predictions: Sequence[Any]) -> Any:
    r"""The predictions for all batches, one below the other."""
    if isinstance(predictions[0], Tensor):
        return torch.cat(list(predictions))
    parts = zip(*predictions, strict=True)
    return type(predictions[0])(*map(torch.cat, parts))


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
        self.prior, self.x, self.num_hops = learner.prior, x, num_hops
        self.conv = evaluated(learner.conv)
        self.route = ConvCall(self.conv, Bernoulli())
        self.posterior = evaluated(learner.posterior)

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
        near = self.prior.pairs.neighbors(ring)
        return near[~torch.isin(near, known)]

    def _measure(self) -> int:
        r"""The number of hops, or that of all nodes if there is none."""
        pairs = self.prior.pairs
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
            now = self._outputs(nodes, inner)
            for place, (old, new) in enumerate(zip(before, now, strict=False)):
                if needed[place] is None and _close(old, new):
                    needed[place] = hops - 1
            before = now
            if None not in needed:
                # Some of the logits' nodes are one hop away already:
                return sum(needed) - 1, True  # type: ignore[arg-type]
        raise AssertionError

    def _outputs(self, nodes: Tensor, inner: int) -> tuple[Tensor, Tensor]:
        r"""What depends on the graph: the outputs of a node, and the logits
        of the pairs around it, with all candidates among some nodes as edges.
        """
        prior = self.prior.subset(nodes)
        x = rows(self.x, nodes).to_dense().to(prior.logits.device)
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
