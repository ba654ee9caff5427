import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.sample import Noise
from torch_geometric_vgcn.training.memory_map import WholeRows
from torch_geometric_vgcn.training.receptive_field import (
    ReceptiveField,
    rows,
)
from torch_geometric_vgcn.utils import (
    check_count,
    check_features,
    check_kind,
    check_node_id,
    check_path,
)
from torch_geometric_vgcn.utils.ranks import Ranks


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
            yield n_id, _first(prob, n_id.numel())
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
    if isinstance(parts[0], Tensor):
        return _ordered(parts, node)
    # A named tuple, such as of mean and variance:
    kind = type(parts[0])
    return kind(*(_ordered(some, node) for some in zip(*parts, strict=True)))


def _first(prob: Any, count: int) -> Any:
    r"""The rows of a batch, without those of its border."""
    if isinstance(prob, Tensor):
        return prob[:count]
    return type(prob)(*(part[:count] for part in prob))


def _ordered(parts: Iterable[Tensor], node: Tensor) -> Tensor:
    r"""The rows of all batches, in the order of the nodes."""
    whole = torch.cat(list(parts))
    return torch.empty_like(whole).index_copy_(0, node, whole)
