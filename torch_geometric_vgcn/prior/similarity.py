r"""Similarities of the features of node pairs, each a function
:obj:`(x, pairs) -> [P]` that sees no labels.
"""

import torch
from torch import Tensor

from torch_geometric_vgcn.checks import (
    check_features,
    check_floats,
    check_kind,
)
from torch_geometric_vgcn.pairs import Pairs


def _dense(x: Tensor, pairs: Pairs) -> Tensor:
    check_kind(pairs, Pairs, 'pairs')
    check_features(x, pairs.num_nodes)
    x = x.to_dense() if x.layout != torch.strided else x
    check_floats(x, (pairs.num_nodes, 'F'), 'x')
    return x


def cosine_similarity(x: Tensor, pairs: Pairs) -> Tensor:
    r""":math:`\mathbf{x}_i^{\top}\mathbf{x}_j / \|\mathbf{x}_i\|
    \|\mathbf{x}_j\|`: for bags of words and other directions.
    """
    x = _dense(x, pairs)
    x = torch.nn.functional.normalize(x, dim=-1)
    return pairs.dot(x, x)


def jaccard_similarity(x: Tensor, pairs: Pairs) -> Tensor:
    r"""The share of common words among all words of two documents: for binary
    features. Whatever isn't zero counts as a word.
    """
    x = _dense(x, pairs)
    x = (x != 0).to(x.dtype)
    both = pairs.dot(x, x)
    size = x.sum(dim=-1)
    row, col = pairs.index
    either = size[row] + size[col] - both
    return both / either.clamp(min=1)


def negative_distance(x: Tensor, pairs: Pairs) -> Tensor:
    r""":math:`-\|\mathbf{x}_i - \mathbf{x}_j\|`: for standardised
    measurements.
    """
    x = _dense(x, pairs)
    square = x.square().sum(dim=-1)
    row, col = pairs.index
    total = square[row] + square[col]
    return -(total - 2 * pairs.dot(x, x)).clamp(min=0).sqrt()
