from typing import Any

from torch_geometric.data import Data

from systems.base import Outcome
from systems.gcn import GCN
from torch_geometric_vgcn.transforms import KNNGraph


class GCNOnKNN(GCN):
    r"""GCN on the nearest neighbours by features; the graph is ignored."""

    title = 'GCN on kNN'

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        return super().train(KNNGraph(k=20)(data.clone()), seed, **settings)
