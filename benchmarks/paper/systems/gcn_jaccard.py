from copy import copy
from typing import Any

from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from benchmarks.paper.systems.base import Outcome
from benchmarks.paper.systems.gcn import GCN
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import jaccard_similarity


class GCNJaccard(GCN):
    r"""A GCN on the edges between nodes with similar words, of the
    `"Adversarial Examples on Graph Data: Deep Insights into Attack and
    Defense" <https://arxiv.org/abs/1903.01610>`_ paper: edges whose Jaccard
    similarity is below a threshold are removed. Without features no edge
    remains.
    """

    title = 'GCN-Jaccard'
    settings = (
        {'threshold': 0.01, 'lr': 0.01, 'weight_decay': 5e-4},
        {'threshold': 0.03, 'lr': 0.01, 'weight_decay': 5e-4},
        {'threshold': 0.05, 'lr': 0.01, 'weight_decay': 5e-4},
    )

    def train(
        self, data: Data, seed: int, threshold: float, **settings: Any
    ) -> Outcome:
        return super().train(similar(data, threshold), seed, **settings)


def similar(data: Data, threshold: float) -> Data:
    r"""The data without the edges of a similarity below the threshold."""
    pairs = Candidates(data.edge_index, data.num_nodes)
    kept = jaccard_similarity(data.x, pairs) >= threshold
    data = copy(data)
    data.edge_index = to_undirected(
        pairs.index[:, kept], num_nodes=data.num_nodes
    )
    return data
