from typing import Any

import torch
from torch import Tensor
from torch_geometric.index import index2ptr

from torch_geometric_vgcn.pairs.base import Pairs
from torch_geometric_vgcn.utils import (
    CSRPattern,
    check_edge_index,
    check_node_id,
    check_num_nodes,
    entries_among,
    entries_of,
    pair_key,
)


class Candidates(Pairs):
    r"""A list of candidate pairs, for example those of a k-nearest-neighbour
    graph. Memory and time grow with the list, not with :math:`N^2`.

    The pairs outside the list are not forgotten: they keep the prior's
    background probability and are sampled sparsely.

    Args:
        edge_index (Tensor): The candidates, of shape :obj:`[2, E]`. An edge
            that comes in one direction or both, once or several times, is one
            pair (the union).
        num_nodes (int): The number of nodes :math:`N`.
    """

    pointer: Tensor
    _key: Tensor

    def __init__(self, edge_index: Tensor, num_nodes: int) -> None:
        num_nodes = check_num_nodes(num_nodes)
        check_edge_index(edge_index, num_nodes)
        key = pair_key(edge_index.long(), num_nodes).unique()
        super().__init__(num_nodes)
        self._set(torch.stack([key // num_nodes, key % num_nodes]), key)

    def _set(self, index: Tensor, key: Tensor) -> None:
        self.register_buffer('index', index, persistent=False)
        self.register_buffer('_key', key, persistent=False)
        # Where each node's row of pairs starts:
        pointer = index2ptr(index[0], size=self.num_nodes)
        self.register_buffer('pointer', pointer, persistent=False)
        # ... and of each node's pairs with earlier nodes, once they're asked:
        self._columns: tuple[Tensor, Tensor] | None = None

    def __len__(self) -> int:
        return self.index.size(1)

    @property
    def key(self) -> Tensor:
        return self._key

    @property
    def device(self) -> torch.device:
        return self.index.device

    def contains(self, edge_index: Tensor) -> Tensor:
        check_edge_index(edge_index, self.num_nodes, empty=True)
        key = pair_key(edge_index.to(self.index), self.num_nodes)
        return torch.isin(self.key, key)

    def _make_pattern(self) -> CSRPattern:
        return CSRPattern(self.index, self.num_nodes)

    def dot(self, left: Tensor, right: Tensor) -> Tensor:
        self._check_factors(left, right)
        # In chunks, so that wide features aren't all gathered at once:
        size = max(1, 2**24 // max(1, left.size(-1)))
        return torch.cat(
            [
                torch.einsum('pd,pd->p', left[row], right[col])
                for row, col in self.index.split(size, dim=1)
            ]
        )

    def neighbors(self, node_id: Tensor) -> Tensor:
        check_node_id(node_id, self.num_nodes, least=1)
        node_id = node_id.to(self.index)
        row, col = self.index
        if self._columns is None or self._columns[0].device != row.device:
            with torch.inference_mode(False):
                order = col.argsort(stable=True)
                pointer = index2ptr(col[order], size=self.num_nodes)
                self._columns = (pointer, row[order])
        pointer, row = self._columns
        later, _ = entries_of(self.pointer, node_id)
        earlier, _ = entries_of(pointer, node_id)
        return torch.cat([col[later], row[earlier]]).unique()

    def subset(self, node_id: Tensor) -> Pairs:
        check_node_id(node_id, self.num_nodes)
        node_id = node_id.to(self.index)
        position, index = entries_among(self.pointer, self.index[1], node_id)
        pairs, order = Candidates.sorted_by_key(index, node_id.numel())
        return self._adopt(pairs, position[order], node_id)

    @classmethod
    def sorted_by_key(
        cls, index: Tensor, num_nodes: int
    ) -> tuple['Candidates', Tensor]:
        r"""Candidates from pairs :obj:`[2, P]` that come once each, and where
        each of the candidates stands among them.
        """
        row, col = torch.minimum(*index), torch.maximum(*index)
        key, order = (row * num_nodes + col).sort()
        # Not through '__init__': no edge at all is a fair subset.
        pairs = cls.__new__(cls)
        Pairs.__init__(pairs, num_nodes)
        pairs._set(torch.stack([row[order], col[order]]), key)
        return pairs, order

    def get_extra_state(self) -> dict[str, int]:
        return self._state(self.key)

    def set_extra_state(self, state: Any) -> None:
        self._expect(state, self.get_extra_state())
