r"""Similarities of the places of node pairs in a graph, each a function
:obj:`(edge_index, pairs) -> [P]` that sees neither features nor labels.
"""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.index import index2ptr
from torch_geometric.utils import degree, to_undirected

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.utils import (
    check_kind,
    entries_of,
    find,
    observed_graph,
)


def _both_directions(edge_index: Any, pairs: Pairs) -> Tensor:
    check_kind(pairs, Pairs, 'pairs')
    edge_index, num_nodes = observed_graph(edge_index, pairs.num_nodes)
    edge_index = to_undirected(edge_index, num_nodes=num_nodes)
    return edge_index.to(pairs.device)


def degree_product(edge_index: Any, pairs: Pairs) -> Tensor:
    r""":math:`\log (d_i + 1) + \log (d_j + 1)`: in graphs with hubs, edges are
    between nodes of many edges, and false ones anywhere.
    """
    row, _ = _both_directions(edge_index, pairs)
    size = degree(row, pairs.num_nodes).log1p()
    left, right = pairs.index
    return size[left] + size[right]


def resource_allocation(edge_index: Any, pairs: Pairs) -> Tensor:
    r""":math:`\log \big(1 + \sum_{k \in \mathcal{N}(i) \cap \mathcal{N}(j)}
    1 / d_k \big)`, the index of the `"Predicting missing links via local
    information" <https://arxiv.org/abs/0901.0553>`_ paper: in graphs with
    triangles, true edges have common neighbours, and false ones don't.

    The time grows with the number of neighbours of the pairs' nodes of fewer
    edges, the memory with the number of pairs.
    """
    row, col = _both_directions(edge_index, pairs)
    num_nodes = pairs.num_nodes
    key = row * num_nodes + col  # sorted
    pointer = index2ptr(row, num_nodes)
    size = pointer.diff()
    share = 1 / size.clamp(min=1).float()
    left, right = pairs.index
    swap = size[left] > size[right]
    few = torch.where(swap, right, left)
    many = torch.where(swap, left, right)
    total = share.new_zeros(len(pairs))
    # As many pairs at once as have about a million neighbours:
    block = (size[few].cumsum(0) >> 20).unique_consecutive(return_counts=True)
    start = 0
    for count in block[1].tolist():
        part = slice(start, start + count)
        place, which = entries_of(pointer, few[part])
        common = col[place]
        _, found = find(key, many[part][which] * num_nodes + common)
        total[part] = total.new_zeros(count).index_add_(
            0, which[found], share[common[found]]
        )
        start += count
    return total.log1p()
