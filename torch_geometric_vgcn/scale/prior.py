from typing import TYPE_CHECKING, NoReturn

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import check_node_id

if TYPE_CHECKING:
    from torch_geometric_vgcn.scale.graph import StoredGraph


class StoredPairs(Pairs):
    r"""The pairs of a graph that is on disk: none are in memory, and only
    those among some nodes can be used.

    Args:
        graph (StoredGraph): The graph.
    """

    _where: Tensor  # empty; there for its device

    def __init__(self, graph: 'StoredGraph') -> None:
        super().__init__(graph.num_nodes)
        self._graph = graph
        self.register_buffer('_where', torch.empty(0), persistent=False)

    def __len__(self) -> int:
        return 0

    @property
    def num_stored(self) -> int:
        return self._graph.num_pairs

    @property
    def device(self) -> torch.device:
        return self._where.device

    def among(self, node_id: Tensor) -> tuple[Pairs, Tensor]:
        r"""The pairs among some nodes, and their prior logits."""
        check_node_id(node_id, self.num_nodes)
        position, index, logits = self._graph.among(node_id.cpu().long())
        pairs, order = Candidates.sorted_by_key(index, node_id.numel())
        own = self._adopt(
            pairs.to(self.device),
            position[order].to(self.device),
            node_id.to(self.device).long(),
        )
        return own, logits[order].to(self.device)

    def subset(self, node_id: Tensor) -> Pairs:
        return self.among(node_id)[0]

    def _refuse(self) -> NoReturn:
        raise ValueError(
            'the pairs of a StoredGraph are on disk: use those among some '
            'nodes, subset(node_id)'
        )

    def contains(self, edge_index: Tensor) -> Tensor:
        self._refuse()

    def _make_pattern(self) -> NoReturn:
        self._refuse()

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        self._refuse()

    def neighbors(self, node_id: Tensor) -> Tensor:
        self._refuse()

    def _same_as(self, other: Pairs) -> bool:
        return (
            isinstance(other, StoredPairs)
            and other._graph.digest == self._graph.digest
        )


class StoredPrior(Prior):
    r"""The prior of a graph that is on disk. It gives those of batches,
    :obj:`prior.subset(node_id)`.

    Args:
        graph (StoredGraph): The graph.
    """

    pairs: StoredPairs

    def __init__(self, graph: 'StoredGraph') -> None:
        super().__init__(StoredPairs(graph), torch.empty(0), graph.background)
        self.graph = graph

    def subset(self, node_id: Tensor) -> Prior:
        pairs, logits = self.pairs.among(node_id)
        return Prior(pairs, logits, self.background)
