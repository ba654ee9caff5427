from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch_geometric import utils

from torch_geometric_vgcn.kernels.index import find
from torch_geometric_vgcn.message_passing.weighted import (
    weighted_scatter,
    weighted_softmax,
)


class Gate:
    r"""The weights of a graph's edges, for any of them that a conv sums over.

    Edges are known by their nodes. The gate sees each list of edges that a
    conv is called with, or makes by adding self-loops, and looks up the
    weights of its edges. A sum belongs to the list whose sources or targets it
    is indexed by.

    Args:
        edge_index (Tensor): The edges, none of them a self-loop.
        weight (Tensor): Their weights.
        num_nodes (int): The number of nodes.
    """

    def __init__(
        self, edge_index: Tensor, weight: Tensor, num_nodes: int
    ) -> None:
        self.edge_index = edge_index
        self.weight = weight
        self.num_nodes = num_nodes
        self._lists = [(edge_index, weight)]
        self._current: tuple[Tensor, Tensor] | None = None

    def see(self, edge_index: Any) -> None:
        r"""Takes note of a list of edges."""
        if isinstance(edge_index, Tensor) and (
            edge_index.layout == torch.strided
        ):
            self._list_of(edge_index)

    def _list_of(self, edge_index: Tensor) -> tuple[Tensor, Tensor]:
        for known in self._lists:
            if _same(known[0], edge_index):
                return known
        count = self.edge_index.size(1)
        rest = edge_index[:, count:]
        if torch.equal(edge_index[:, :count], self.edge_index) and (
            torch.equal(rest[0], rest[1])
        ):  # with self-loops behind
            ones = self.weight.new_ones(rest.size(1))
            weight = torch.cat([self.weight, ones])
        else:
            weight = self._look_up(edge_index)
        self._lists.append((edge_index, weight))
        return self._lists[-1]

    def _look_up(self, edge_index: Tensor) -> Tensor:
        key = self.edge_index[0] * self.num_nodes + self.edge_index[1]
        key, order = key.sort()
        wanted = edge_index[0] * self.num_nodes + edge_index[1]
        place, found = find(key, wanted)
        if not bool((found | (edge_index[0] == edge_index[1])).all()):
            raise ValueError(
                'a conv passes messages along edges that the sampled graph '
                "doesn't have: it must not make edges of its own"
            )
        if key.numel() == 0:
            return self.weight.new_ones(wanted.numel())
        return torch.where(found, self.weight[order[place]], 1.0)

    @contextmanager
    def along(self, edge_index: Tensor) -> Iterator[None]:
        r"""While messages are passed along some edges, all sums are over
        them.
        """
        if not isinstance(edge_index, Tensor) or (
            edge_index.layout != torch.strided
        ):
            raise ValueError(
                'a conv passes messages along a sparse matrix, expected an '
                "'edge_index' of shape [2, E]"
            )
        before, self._current = self._current, self._list_of(edge_index)
        try:
            yield
        finally:
            self._current = before

    def weight_of(self, index: Tensor, of_nodes: bool) -> Tensor | None:
        r"""The weights of the edges that a sum is over, given what it is
        indexed by. Outside of message passing, sums may be over nodes.
        """
        known = self._lists if self._current is None else [self._current]
        found: list[Tensor] = []
        for edge_index, weight in known:
            if edge_index.size(1) == index.numel() and (
                _same(index, edge_index[0]) or _same(index, edge_index[1])
            ):
                found.append(weight)
        if not found and of_nodes and self._current is None:
            return None
        if not found or any(not torch.equal(w, found[0]) for w in found[1:]):
            raise ValueError(
                'a conv sums over edges in a way that does not tell which '
                f'edges they are ({index.numel()} terms, '
                f'{self.edge_index.size(1)} edges, {self.num_nodes} nodes)'
            )
        return found[0]

    def scatter(
        self,
        src: Tensor,
        index: Tensor,
        dim: int = 0,
        dim_size: int | None = None,
        reduce: str = 'sum',
        of_nodes: bool = False,
    ) -> Tensor:
        weight = self.weight_of(index, of_nodes)
        if weight is None:
            return utils.scatter(src, index, dim, dim_size, reduce)
        return weighted_scatter(src, weight, index, dim, dim_size, reduce)

    def softmax(
        self,
        src: Tensor,
        index: Tensor | None = None,
        ptr: Tensor | None = None,
        num_nodes: int | None = None,
        dim: int = 0,
    ) -> Tensor:
        if index is None:
            return utils.softmax(src, index, ptr, num_nodes, dim)
        weight = self.weight_of(index, of_nodes=True)
        if weight is None:
            return utils.softmax(src, index, ptr, num_nodes, dim)
        return weighted_softmax(src, weight, index, num_nodes, dim)

    def degree(
        self,
        index: Tensor,
        num_nodes: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        weight = self.weight_of(index, of_nodes=False)
        assert weight is not None
        degree = weighted_scatter(
            torch.ones_like(weight), weight, index, 0, num_nodes
        )
        if dtype is not None and not dtype.is_floating_point:
            degree = degree.round()  # a choice among whole numbers
        return degree.to(dtype or degree.dtype)


def _same(one: Tensor, other: Tensor) -> bool:
    r"""Whether two tensors hold the same numbers, at once if they are the
    same memory.
    """
    if one.shape != other.shape:
        return False
    if one.data_ptr() == other.data_ptr() and one.stride() == other.stride():
        return True
    return torch.equal(one, other)
