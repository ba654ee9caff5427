import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.checks import check_features, check_kind, check_path
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.sample import Noise
from torch_geometric_vgcn.training.memory_map import WholeRows
from torch_geometric_vgcn.training.ranks import Ranks


def predict_batches(
    learner: VariationalGraphLearner,
    x: Tensor,
    batches: Iterable[Tensor],
    num_samples: int = 16,
    noise: Noise | None = None,
    out: str | Path | None = None,
) -> Any:
    r"""The predictions for all nodes, as
    :meth:`VariationalGraphLearner.predict` gives them (for classes their
    probabilities, of shape :obj:`[N, C]`), batch by batch.

    With :class:`~torch_geometric_vgcn.pairs.ClusterPairs` and its
    :meth:`clusters` as batches the result is that of one call for all nodes.
    With other pairs, nodes don't see their neighbours outside the batch.

    Args:
        learner (VariationalGraphLearner): The learner to predict with.
        x (Tensor): The features of all nodes, of shape :obj:`[N, F]`. They
            may be on another device than the learner.
        batches (Iterable[Tensor]): The ids of the nodes of each batch. Each
            node must be in one.
        num_samples (int, optional): The number of graphs.
            (default: :obj:`16`)
        noise (Noise, optional): The randomness of all pairs, from
            :meth:`VariationalGraphLearner.noise`.
            (default: :obj:`None`, newly drawn)
        out (str or Path, optional): An :obj:`.npy` file to write the
            probabilities to, as float32. The result is a memory map of it.
            (default: :obj:`None`)
    """
    check_kind(learner, VariationalGraphLearner, 'learner')
    check_kind(batches, Iterable, 'batches')
    n = learner.prior.num_nodes
    check_features(x, n)
    device = learner.prior.pairs.device
    path = None if out is None else check_path(out, 'out')

    def predictions() -> Iterator[tuple[Tensor, Any]]:
        nodes = [torch.empty(0, device=device).long()]
        for n_id in batches:
            check_kind(n_id, Tensor, 'batches')
            n_id = n_id.to(device)
            prior = learner.prior.subset(n_id)
            own = None if noise is None else noise.subset(prior.pairs)
            part = rows(x, n_id).to(device)
            nodes.append(n_id)
            yield n_id, learner.predict(part, num_samples, prior, own)
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


def _ordered(parts: Iterable[Tensor], node: Tensor) -> Tensor:
    r"""The rows of all batches, in the order of the nodes."""
    whole = torch.cat(list(parts))
    return torch.empty_like(whole).index_copy_(0, node, whole)


def rows(x: Tensor, n_id: Tensor) -> Tensor:
    r"""Some rows of dense or sparse features."""
    return x.index_select(0, n_id.to(x.device))
