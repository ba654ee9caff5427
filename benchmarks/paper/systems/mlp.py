from copy import copy
from typing import Any

from torch_geometric.data import Data

from systems.base import Outcome
from systems.gcn import GCN


class MLP(GCN):
    r"""A multilayer perceptron, which sees the features only: :class:`GCN` on
    a graph without edges, where each node has nothing but its self-loop.
    """

    title = 'MLP'

    def train(self, data: Data, seed: int, **settings: Any) -> Outcome:
        data = copy(data)
        data.edge_index = data.edge_index[:, :0]
        return super().train(data, seed, **settings)
