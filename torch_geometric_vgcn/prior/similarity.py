r"""Similarities of node pairs, each a function :obj:`(x, pairs) -> [P]` that
sees no labels: of their features, which stay sparse if they are, or of their
places in a graph, :obj:`(edge_index, pairs) -> [P]`.
"""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.index import index2ptr
from torch_geometric.utils import degree, to_undirected

from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.utils import (
    check_features,
    check_floats,
    check_kind,
    entries_of,
    find,
    observed_graph,
)
from torch_geometric_vgcn.utils.rows import (
    fastest_layout,
    map_rows,
    row_norm,
    sparse_dot,
)


def cosine_similarity(x: Tensor, pairs: Pairs) -> Tensor:
    r""":math:`\mathbf{x}_i^{\top}\mathbf{x}_j / \|\mathbf{x}_i\|
    \|\mathbf{x}_j\|`: for bags of words and other directions.
    """
    x = _rows(x, pairs)
    if x.layout == torch.strided:
        x = torch.nn.functional.normalize(x, dim=-1)
    else:
        x = map_rows(x, torch.div, row_norm(x).clamp(min=1e-12))
    return _dot(x, pairs)


def jaccard_similarity(x: Tensor, pairs: Pairs) -> Tensor:
    r"""The share of common words among all words of two documents: for binary
    features. Whatever isn't zero counts as a word.
    """
    x = _rows(x, pairs)
    x = map_rows(x, _is_word, torch.ones(x.size(0), device=x.device))
    both = _dot(x, pairs)
    size = row_norm(x).square().round().to(both.dtype)
    row, col = pairs.index
    either = size[row] + size[col] - both
    return both / either.clamp(min=1)


def negative_distance(x: Tensor, pairs: Pairs) -> Tensor:
    r""":math:`-\|\mathbf{x}_i - \mathbf{x}_j\|`: for standardised
    measurements.
    """
    x = _rows(x, pairs)
    product = _dot(x, pairs)
    square = row_norm(x).square().to(product.dtype)
    row, col = pairs.index
    total = square[row] + square[col]
    return -(total - 2 * product).clamp(min=0).sqrt()


def _rows(x: Tensor, pairs: Pairs) -> Tensor:
    r"""The features, dense or in compressed rows, whichever is faster."""
    check_kind(pairs, Pairs, 'pairs')
    check_features(x, pairs.num_nodes)
    if x.layout == torch.strided:
        check_floats(x, (pairs.num_nodes, 'F'), 'x')
        few = isinstance(pairs, Candidates) and not x.requires_grad
        exact = x.dtype in (torch.float, torch.double)
        return fastest_layout(x) if few and exact else x
    if isinstance(pairs, Candidates):
        return x if x.layout == torch.sparse_csr else x.to_sparse_csr()
    return x.to_dense()


def _dot(x: Tensor, pairs: Pairs) -> Tensor:
    if x.layout == torch.strided:
        return pairs.dot(x, x)
    return sparse_dot(x, pairs.index)


def _is_word(entry: Tensor, _: Tensor) -> Tensor:
    return (entry != 0).to(entry.dtype)


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


def _both_directions(edge_index: Any, pairs: Pairs) -> Tensor:
    check_kind(pairs, Pairs, 'pairs')
    edge_index, num_nodes = observed_graph(edge_index, pairs.num_nodes)
    edge_index = to_undirected(edge_index, num_nodes=num_nodes)
    return edge_index.to(pairs.device)
