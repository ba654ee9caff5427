from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.models import PropagatedMLP
from torch_geometric_vgcn.nearest import Minkowski
from torch_geometric_vgcn.prior import cosine_similarity, negative_distance
from torch_geometric_vgcn.prior.evidence import Prior
from torch_geometric_vgcn.transforms import KNNGraph

#: Below how many features a network can't spare half of them.
FEW = 10


@dataclass
class Task:
    r"""What a classifier is trained with, whatever its graph.

    Args:
        x (Tensor): The features, dense or CSR.
        y (Tensor): The classes, :obj:`-1` where unknown.
        counts (bool): Whether the features are counts.
        num_classes (int): The number of classes.
        hidden (int): The number of hidden units.
        edge_index (Tensor, optional): The given graph.
            (default: :obj:`None`)
    """

    x: Tensor
    y: Tensor
    counts: bool
    num_classes: int
    hidden: int
    edge_index: Tensor | None = None
    _nearest: dict[int, Tensor] = field(default_factory=dict)

    @property
    def num_rows(self) -> int:
        return self.x.size(0)

    def nearest(self, k: int) -> Tensor:
        r"""The graph of the nearest rows, computed once."""
        k = min(k, self.num_rows - 1)
        if k not in self._nearest:
            # Rows of norm one: Euclidean neighbours are those by cosine.
            knn = KNNGraph(k, metric=Minkowski(p=2))
            self._nearest[k] = knn(Data(x=self.x)).edge_index
        return self._nearest[k]

    def similarity(self, prior: Prior) -> Tensor:
        r"""How alike the rows of each pair are."""
        how = cosine_similarity if self.counts else negative_distance
        return how(self.x, prior.pairs)

    def network(self) -> PropagatedMLP:
        width = self.x.size(1)
        entries = self.x.numel()
        if self.x.layout == torch.strided:
            filled = int((self.x != 0).sum())
        else:
            filled = self.x.values().numel()
        if filled < 0.1 * entries:  # mostly zeros
            dropout = 0.8
        else:
            dropout = 0.5 if width >= FEW else 0.1
        return PropagatedMLP(
            width, self.hidden, self.num_classes, input_dropout=dropout
        )
