r"""How features are scaled and compared."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.nearest import Cosine, Metric, Minkowski
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior import cosine_similarity, negative_distance
from torch_geometric_vgcn.transforms import UnitRows
from torch_geometric_vgcn.utils import Seeded, as_csr, check_count, check_share

Scaler = Callable[[Tensor], Tensor]

#: From which share of zeros non-negative features are taken for counts.
ZEROS = 0.4
#: By how much a column without zeros may exceed the others' largest entry.
FAR = 10.0
#: Counts with fewer non-zeros than this are words, of which most are dropped.
WORDS = 0.1
#: More columns than this, if they aren't words, are reduced to so many.
WIDE, REDUCED = 512, 200


class Features(ABC):
    r"""How the features of nodes are scaled and compared."""

    k: int
    input_dropout: float
    metric: ClassVar[Metric]

    def __post_init__(self) -> None:
        check_count(self.k, 'k', least=1)
        check_share(self.input_dropout, 'input_dropout')

    @staticmethod
    @abstractmethod
    def similarity(x: Tensor, pairs: Pairs) -> Tensor:
        r"""How alike the two nodes of each pair are."""

    @abstractmethod
    def scaler(self, x: Tensor) -> Scaler:
        r"""How features are scaled, also those of further nodes, by the
        features :obj:`x` of all nodes. The result is dense.
        """

    @abstractmethod
    def of_distance(self, distance: Tensor) -> Tensor:
        r"""The similarity of two nodes by the Euclidean distance of their
        scaled features.
        """

    def reduced(self, x: Tensor) -> Scaler:
        r"""The same, with many columns reduced to their :math:`200` largest
        singular vectors, unless nearly all numbers are zero: a network takes
        as long for each column of dense features.
        """
        scaler = self.scaler(x)
        if x.size(1) <= WIDE or float((x != 0).float().mean()) < WORDS:
            return scaler
        with Seeded(0):
            size = min(REDUCED, x.size(0) - 1)
            basis = torch.svd_lowrank(scaler(x), size)[2]

        def reduced(x: Tensor) -> Tensor:
            x = scaler(x.to(basis)) @ basis
            return scaler(x) if scaler is unit_rows else x

        return reduced

    def __call__(self, x: Tensor) -> Tensor:
        r"""The scaled features, dense."""
        return self.reduced(x)(x)

    def layout(self, x: Tensor) -> Tensor:
        r"""Scaled features as they are multiplied fastest."""
        return x


@dataclass(frozen=True)
class Counts(Features):
    r"""Counts, such as words or pixels: rows get a Euclidean norm of one, and
    are compared by their cosine.

    Args:
        k (int, optional): The number of nearest neighbours.
            (default: :obj:`20`)
        input_dropout (float, optional): The share of features to drop in
            training. (default: :obj:`0.8`)
    """

    k: int = 20
    input_dropout: float = 0.8
    metric = Cosine()
    similarity = staticmethod(cosine_similarity)

    def scaler(self, x: Tensor) -> Scaler:
        return unit_rows

    def of_distance(self, distance: Tensor) -> Tensor:
        return 1 - distance.square() / 2

    def layout(self, x: Tensor) -> Tensor:
        if x.device.type != 'cpu':
            return x
        rows = as_csr(x, x.numel() // 2)
        return x if rows is None else rows


@dataclass(frozen=True)
class Measurements(Features):
    r"""Measurements: columns get mean zero and variance one, and rows are
    compared by their Euclidean distance.

    Args:
        k (int, optional): The number of nearest neighbours.
            (default: :obj:`10`)
        input_dropout (float, optional): The share of features to drop in
            training. (default: :obj:`0.5`)
    """

    k: int = 10
    input_dropout: float = 0.5
    metric = Minkowski(2)
    similarity = staticmethod(negative_distance)

    def scaler(self, x: Tensor) -> Scaler:
        # In double precision, as columns may be far from zero:
        scale, mean = torch.std_mean(x.double(), dim=0, correction=0)
        constant = scale <= 1e-12 * mean.abs().clamp(min=1e-300)
        scale = scale.masked_fill(constant, 1.0)
        return lambda x: ((x.double() - mean) / scale).to(x.dtype)

    def of_distance(self, distance: Tensor) -> Tensor:
        return -distance


def unit_rows(x: Tensor) -> Tensor:
    r"""Rows with a Euclidean norm of one."""
    return UnitRows()(Data(x=x)).x


def features_of(x: Tensor) -> Features:
    r"""What features look like."""
    if not are_counts(x.numpy(force=True)):
        return Measurements()
    words = float((x != 0).float().mean()) < WORDS
    return Counts(input_dropout=0.8 if words else 0.5)


def are_counts(X: Any) -> bool:  # noqa: N803
    r"""Whether features look like counts: none is negative, many are zero,
    and no column without zeros is of another size than the others.
    """
    least, largest = bounds(X)
    if least.min() < 0:
        return False
    share = filled(X) / X.shape[0]
    if 1 - share.mean() < ZEROS:
        return False
    typical = np.median(largest[largest > 0]) if largest.any() else 1.0
    dense = share > 0.5
    return not bool((dense & (largest > FAR * typical)).any())


def bounds(X: Any) -> tuple[np.ndarray, np.ndarray]:  # noqa: N803
    r"""The smallest and the largest entry of each column."""
    least, largest = X.min(axis=0), X.max(axis=0)
    if scipy.sparse.issparse(X):
        least, largest = least.toarray().ravel(), largest.toarray().ravel()
    return least, largest


def filled(X: Any) -> np.ndarray:  # noqa: N803
    r"""How many entries of each column aren't zero."""
    if scipy.sparse.issparse(X):
        return np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)
