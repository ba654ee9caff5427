from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import is_undirected, to_undirected

from torch_geometric_vgcn.utils import (
    check_count,
    check_edge_index,
    check_seed,
    count_nodes,
    pair_at,
    pair_key,
    place_of,
)


class Flips(NamedTuple):
    r"""A graph and what may change in it.

    Args:
        edges (Tensor): The graph, each edge once, of shape :obj:`[2, E]`.
        num_nodes (int): The number of nodes.
        pairs (Tensor): The pairs that may change, of shape :obj:`[2, C]`.
        change (Tensor): :obj:`1` for each pair that would be added,
            :obj:`-1` for each that would be removed.
    """

    edges: Tensor
    num_nodes: int
    pairs: Tensor
    change: Tensor


class Perturbation(BaseTransform, ABC):
    r"""Adds and removes a given number of undirected edges, those of the
    highest :meth:`score` among random candidates.

    An edge is added where there was none, and no node loses its last edge.
    What was changed is recorded in :obj:`data.added_pairs` and
    :obj:`data.removed_pairs`, each edge once, of shape :obj:`[2, M]`; several
    perturbations in a row add up to their difference from the first graph.

    Args:
        add (int, optional): The number of edges to add. (default: :obj:`0`)
        remove (int, optional): The number of edges to remove.
            (default: :obj:`0`)
        seed (int, optional): The seed of what is left to chance; the global
            one is neither read nor moved. (default: :obj:`0`)
        candidates (int, optional): How many random pairs there are to choose
            from, for each edge to add. (default: :obj:`10`)
    """

    def __init__(
        self,
        add: int = 0,
        remove: int = 0,
        seed: int = 0,
        candidates: int = 10,
    ) -> None:
        self.add = check_count(add, 'add')
        self.remove = check_count(remove, 'remove')
        self.seed = check_seed(seed)
        self.candidates = check_count(candidates, 'candidates', least=1)

    @abstractmethod
    def score(self, flips: Flips, generator: torch.Generator) -> Tensor:
        r"""How much each flip is wanted, of shape :obj:`[C]`."""

    def counts(self, num_edges: int) -> tuple[int, int]:
        r"""How many edges of so many are added and removed."""
        return self.add, self.remove

    def removable(
        self, edges: Tensor, num_nodes: int, generator: torch.Generator
    ) -> Tensor:
        r"""The edges that may go: for each node one of its own stays, the
        first in a random order.
        """
        order = torch.randperm(edges.size(1), generator=generator)
        first = order.new_full((num_nodes,), edges.size(1)).scatter_reduce(
            0, edges.flatten(), order.repeat(2), 'amin'
        )
        return edges[:, ~torch.isin(order, first)]

    def forward(self, data: Data) -> Data:
        edges, num_nodes = edges_of(data), count_nodes(data)
        num_edges = edges.size(1)
        add, remove = self.counts(num_edges)
        generator = torch.Generator().manual_seed(self.seed)
        loose = self.removable(edges, num_nodes, generator)
        if remove > loose.size(1):
            raise ValueError(
                f"'remove' must be at most {loose.size(1)} of the "
                f'{num_edges} edges, as each node keeps one, got {remove}'
            )
        num_free = num_nodes * (num_nodes - 1) // 2 - num_edges
        if add > num_free:
            raise ValueError(
                f"'add' must be at most {num_free}, the number of pairs "
                f'without an edge, got {add}'
            )
        if remove == 0:
            loose = loose[:, :0]  # nothing to score
        count = min(num_free, add * self.candidates)
        free = free_pairs(edges, num_nodes, count, generator)
        change = torch.tensor([1, -1]).repeat_interleave(
            torch.tensor([free.size(1), loose.size(1)])
        )
        pairs = torch.cat([free, loose], dim=1)
        if pairs.size(1) > add:
            flips = Flips(edges, num_nodes, pairs, change)
            score = self.score(flips, generator)
        else:
            score = torch.zeros(add)  # no choice, so none to pay for
        added = free[:, score[change == 1].topk(add).indices]
        removed = loose[:, score[change == -1].topk(remove).indices]
        return change_graph(data, edges, added, removed)

    def __repr__(self) -> str:
        return (
            f'{type(self).__name__}(add={self.add}, remove={self.remove}, '
            f'seed={self.seed})'
        )


def edges_of(data: Data) -> Tensor:
    r"""The undirected edges, each once and sorted, on the CPU: so the same
    seed gives the same graph on each device.
    """
    num_nodes, name = count_nodes(data), 'data.edge_index'
    check_edge_index(data.get('edge_index'), num_nodes, name)
    edge_index = data.edge_index.cpu().long()
    if not is_undirected(edge_index, num_nodes=num_nodes):
        raise ValueError(
            f"'{name}' must hold each edge in both directions, got a "
            'directed graph: put T.ToUndirected() before'
        )
    record = ('added_pairs', 'removed_pairs')
    for key in record:
        if key in data:
            check_edge_index(data[key], num_nodes, f'data.{key}', empty=True)
    ours = ('edge_index', *record)
    carried = [key for key in data.edge_attrs() if key not in ours]
    if carried:
        raise ValueError(
            f"'data' must hold nothing of its edges but 'edge_index', got "
            f'{carried}: what new edges would carry is unknown, so remove it '
            'first (data.edge_attr = None)'
        )
    return _pairs(pair_key(edge_index, num_nodes).unique(), num_nodes)


def free_pairs(
    edges: Tensor, num_nodes: int, count: int, generator: torch.Generator
) -> Tensor:
    r"""Draws so many of the pairs without an edge, each set as likely as any
    other, at the cost of those that are drawn.
    """
    # All pairs i < j stand in one line, row after row. The pair of rank r
    # among the free ones has as many edges before it as have at most r free
    # pairs before them.
    taken = place_of(edges, num_nodes)
    num_free = num_nodes * (num_nodes - 1) // 2 - taken.numel()
    if 2 * count > num_free:
        rank = torch.randperm(num_free, generator=generator)[:count]
    else:
        rank = taken.new_empty(0)
        while (missing := count - rank.numel()) > 0:
            drawn = torch.randint(num_free, (missing,), generator=generator)
            rank = torch.cat([rank, drawn]).unique()
    before = taken - torch.arange(taken.numel())
    place = rank + torch.searchsorted(before, rank, right=True)
    return pair_at(place, num_nodes)


def change_graph(
    data: Data, edges: Tensor, added: Tensor, removed: Tensor
) -> Data:
    r"""Adds and removes edges, and keeps the record of it: not under names
    with 'edge', which PyG takes for what each edge of the graph carries.
    """
    n, device = data.num_nodes, data.edge_index.device
    old = {
        name: pair_key(data[name].cpu(), n)
        for name in ('added_pairs', 'removed_pairs')
        if name in data
    }
    plus, minus = pair_key(added, n), pair_key(removed, n)
    key = pair_key(edges, n)
    key = torch.cat([_without(key, minus), plus])
    data.edge_index = to_undirected(_pairs(key, n), num_nodes=n).to(device)
    # What was added and is now removed was never there, and vice versa:
    had = old.get('added_pairs', plus[:0])
    lacked = old.get('removed_pairs', minus[:0])
    added = torch.cat([_without(had, minus), _without(plus, lacked)])
    removed = torch.cat([_without(lacked, plus), _without(minus, had)])
    data.added_pairs = _pairs(added.sort().values, n).to(device)
    data.removed_pairs = _pairs(removed.sort().values, n).to(device)
    if data.num_nodes != n:
        data.num_nodes = n  # it was counted by the edges
    return data


def _without(key: Tensor, other: Tensor) -> Tensor:
    return key[~torch.isin(key, other)]


def _pairs(key: Tensor, num_nodes: int) -> Tensor:
    return torch.stack([key // num_nodes, key % num_nodes])
