r"""Similarities of the features of node pairs, each a function
:obj:`(x, pairs) -> [P]` that sees no labels. Sparse features stay sparse.
"""

import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.rows import (
    fastest_layout,
    map_rows,
    row_norm,
)
from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.utils import (
    check_features,
    check_floats,
    check_kind,
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
