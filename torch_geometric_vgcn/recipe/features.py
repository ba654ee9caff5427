from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.nearest import Cosine, Metric, Minkowski
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior import cosine_similarity, negative_distance
from torch_geometric_vgcn.transforms import UnitRows
from torch_geometric_vgcn.utils import Seeded, as_csr, check_count, check_share

#: From which share of zeros non-negative features are taken for counts.
ZEROS = 0.4
#: Counts with fewer non-zeros than this are words, of which most are dropped.
WORDS = 0.1
#: More columns than this, if they aren't words, are reduced to so many.
WIDE, REDUCED = 512, 200


class Features(ABC):
    r"""How the features of nodes are scaled and compared."""

    metric: ClassVar[Metric]
    k: int
    input_dropout: float

    def __post_init__(self) -> None:
        check_count(self.k, 'k', least=1)
        check_share(self.input_dropout, 'input_dropout')

    @property
    @abstractmethod
    def similarity(self) -> Callable[[Tensor, Pairs], Tensor]:
        r"""How alike two nodes are."""

    @abstractmethod
    def of_distance(self, distance: Tensor) -> Tensor:
        r"""The similarity of two nodes by the Euclidean distance of their
        scaled features.
        """

    @abstractmethod
    def scaler(self, x: Tensor) -> Callable[[Tensor], Tensor]:
        r"""How features are scaled, also those of further nodes, by the
        features :obj:`x` of all nodes. The result is dense.
        """

    def reduced(self, x: Tensor) -> Callable[[Tensor], Tensor]:
        r"""The same, with many columns reduced to their :math:`200` largest
        singular vectors, unless nearly all numbers are zero: a network takes
        as long for each column of dense features.
        """
        scaler = self.scaler(x)
        if x.size(1) <= WIDE or float((x != 0).float().mean()) < WORDS:
            return scaler
        size = min(REDUCED, x.size(0) - 1)
        with Seeded(0):
            basis = torch.svd_lowrank(scaler(x), size)[2]
        return Reduced(scaler, basis)

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

    @property
    def similarity(self) -> Callable[[Tensor, Pairs], Tensor]:
        return cosine_similarity

    def of_distance(self, distance: Tensor) -> Tensor:
        return 1 - distance.square() / 2

    def scaler(self, x: Tensor) -> Callable[[Tensor], Tensor]:
        return unit_rows

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

    @property
    def similarity(self) -> Callable[[Tensor, Pairs], Tensor]:
        return negative_distance

    def of_distance(self, distance: Tensor) -> Tensor:
        return -distance

    def scaler(self, x: Tensor) -> Callable[[Tensor], Tensor]:
        # In double precision, as columns may be far from zero:
        scale, mean = torch.std_mean(x.double(), dim=0, correction=0)
        constant = scale <= 1e-12 * mean.abs().clamp(min=1e-300)
        return Standardized(mean, scale.masked_fill(constant, 1.0))


@dataclass(frozen=True)
class Standardized:
    r"""Columns less a mean, divided by a scale."""

    mean: Tensor
    scale: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return ((x.double() - self.mean) / self.scale).to(x.dtype)


@dataclass(frozen=True)
class Reduced:
    r"""Scaled columns, projected on a basis."""

    scaler: Callable[[Tensor], Tensor]
    basis: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        x = self.scaler(x.to(self.basis)) @ self.basis
        return unit_rows(x) if self.scaler is unit_rows else x


def unit_rows(x: Tensor) -> Tensor:
    r"""Rows with a Euclidean norm of one."""
    return UnitRows()(Data(x=x)).x


def features_of(x: Tensor) -> Features:
    r"""What features look like: counts are not negative, and many are zero."""
    filled = float((x != 0).float().mean())
    if bool((x < 0).any()) or filled > 1 - ZEROS:
        return Measurements()
    return Counts(input_dropout=0.8 if filled < WORDS else 0.5)
