from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.scale.batches import drawn_seed, predicted
from torch_geometric_vgcn.scale.graph import StoredGraph
from torch_geometric_vgcn.scale.posterior import ShardedPosterior
from torch_geometric_vgcn.scale.prior import StoredPrior
from torch_geometric_vgcn.training.memory_map import WholeRows
from torch_geometric_vgcn.training.predict_batches import stacked
from torch_geometric_vgcn.utils import (
    check_kind,
    check_path,
    check_share,
    whole_file,
)
from torch_geometric_vgcn.utils.constraints import SIZE, Instance, checked
from torch_geometric_vgcn.utils.ranks import Ranks

CHUNK = 2**22  # pairs that are looked at together


@checked(
    learner=Instance(VariationalGraphLearner),
    batch_size=SIZE,
    num_samples=SIZE,
)
def predict_clusters(
    learner: VariationalGraphLearner,
    *,
    batch_size: int = 1,
    num_samples: int = 16,
    out: str | Path | None = None,
) -> tuple[Tensor, Any]:
    r"""The predictions for the nodes of a graph on disk, batch by batch, each
    process for its share of them. All processes must call it.

    The result is that of one process. Nodes see their neighbours in the same
    batch, as in Cluster-GCN, unlike with
    :func:`~torch_geometric_vgcn.training.predict_batches`. Where the clusters
    cut many edges, few clusters per batch cost accuracy: take as many as
    memory allows.

    Args:
        learner (VariationalGraphLearner): The learner, with the prior of a
            :class:`StoredGraph`.
        batch_size (int, optional): The number of clusters per batch.
            (default: :obj:`1`)
        num_samples (int, optional): The number of graphs.
            (default: :obj:`16`)
        out (str or Path, optional): An :obj:`.npy` file for the predictions
            of all nodes, :obj:`[N, C]`, that all processes write to. It isn't
            held in memory. (default: :obj:`None`)

    Returns:
        The ids of the nodes, and their predictions; with :obj:`out`, the ids
        of all nodes and the memory map of the file.
    """
    graph, ranks = _graph_of(learner), Ranks.of_group()
    path = None if out is None else check_path(out, 'out')
    if path is not None and graph.holds(path):
        raise ValueError(f"'out' must be no file of the graph, got {path}")
    key = drawn_seed(ranks)

    def predictions() -> Iterator[tuple[Tensor, Any]]:
        for n_id, own, prob in predicted(
            learner, graph, batch_size, num_samples, ranks, key
        ):
            if own:
                yield graph.rows('node', n_id), prob

    if path is None:
        nodes, parts = zip(*predictions(), strict=True)
        return torch.cat(nodes), stacked(parts)
    with WholeRows(path, graph.num_nodes, ranks, key) as rows:
        for node, prob in predictions():
            rows.write(node, prob)
        return torch.arange(graph.num_nodes), rows.finish()


@torch.no_grad()
def learned_edges(
    learner: VariationalGraphLearner,
    threshold: float = 0.5,
    folder: str | Path | None = None,
) -> Data:
    r"""The edges whose probability is at least :obj:`threshold`, as
    :meth:`VariationalGraphLearner.learned_graph` gives them: those of the
    pairs whose logits this process has.

    Args:
        learner (VariationalGraphLearner): The learner, whose posterior is a
            :class:`ShardedPosterior`.
        threshold (float, optional): The least probability.
            (default: :obj:`0.5`)
        folder (str or Path, optional): A folder to write the edges to
            instead, one direction each, in files :obj:`edge_index-*.npy` and
            :obj:`edge_prob-*.npy`. (default: :obj:`None`)
    """
    check_share(threshold, 'threshold')
    graph, posterior = _graph_of(learner), learner.posterior
    check_kind(posterior, ShardedPosterior, 'learner.posterior')
    assert isinstance(posterior, ShardedPosterior)
    if folder is not None:
        folder = check_path(folder, 'folder')
        folder.mkdir(parents=True, exist_ok=True)
    found = [(torch.empty(2, 0).long(), torch.empty(0))]
    own, offset = posterior.own, posterior.offset.cpu()
    for start in range(own.start, own.stop, CHUNK):
        place = torch.arange(start, min(start + CHUNK, own.stop))
        logits = graph.rows('logit', place) + offset[place - own.start]
        prob = logits.sigmoid()
        kept = (prob >= threshold).nonzero().view(-1)
        index, prob = graph.pairs_at(place)[:, kept], prob[kept]
        if folder is None:
            found.append((index, prob))
            continue
        for name, value in (('index', index), ('prob', prob)):
            with whole_file(folder / f'edge_{name}-{start:012d}.npy') as file:
                np.save(file, value.numpy(), allow_pickle=False)
    index, prob = (torch.cat(part, -1) for part in zip(*found, strict=True))
    return Data(
        edge_index=torch.cat([index, index.flip(0)], dim=1),
        edge_prob=torch.cat([prob, prob]),
        num_nodes=graph.num_nodes,
    )


def _graph_of(learner: VariationalGraphLearner) -> StoredGraph:
    check_kind(learner, VariationalGraphLearner, 'learner')
    check_kind(learner.prior, StoredPrior, 'learner.prior')
    assert isinstance(learner.prior, StoredPrior)
    return learner.prior.graph
