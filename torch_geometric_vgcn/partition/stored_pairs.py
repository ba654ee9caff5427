from typing import NoReturn

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import Pairs


class StoredPairs(Pairs):
    r"""The pairs of a graph that is on disk: none are in memory, and
    they can only be used in batches.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
        has_background (bool): Whether there are other pairs, too.
    """

    _where: Tensor  # empty; there for its device

    def __init__(self, num_nodes: int, has_background: bool) -> None:
        super().__init__(num_nodes)
        self.has_background = has_background
        self.register_buffer('_where', torch.empty(0), persistent=False)

    def __len__(self) -> int:
        return 0

    @property
    def device(self) -> torch.device:
        return self._where.device

    def _refuse(self) -> NoReturn:
        raise ValueError(
            'the pairs of a partitioned graph are on disk: use the batches '
            'of a PartitionedLearner'
        )

    @property
    def index(self) -> Tensor:  # type: ignore[override]
        self._refuse()

    def contains(self, edge_index: Tensor) -> Tensor:
        self._refuse()

    def _make_pattern(self) -> NoReturn:
        self._refuse()

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        self._refuse()

    def neighbors(self, node_id: Tensor) -> Tensor:
        self._refuse()

    def subset(self, node_id: Tensor) -> Pairs:
        self._refuse()
