import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import (
    Metric,
    Scores,
    coarse,
    rounding,
)
from torch_geometric_vgcn.utils import check_number
from torch_geometric_vgcn.utils.rows import (
    is_integer,
    max_entries,
    pairwise,
    products,
    row_norm,
    scaled_down,
    values,
)


class Minkowski(Metric):
    r"""The Minkowski distance :math:`{\left(\sum_f |x_{if} - x_{jf}|^p
    \right)}^{1/p}`: for measurements.

    With :math:`p = 2` and for binary features, it costs as much as the cosine
    similarity. Otherwise each pair of nodes is compared by itself, with the
    features dense.

    Args:
        p (float, optional): The order, at least one;
            :obj:`float('inf')` takes the largest difference.
            (default: :obj:`2.0`)
    """

    def __init__(self, p: float = 2.0) -> None:
        self.p = check_number(p, 'p')
        if not self.p >= 1:
            raise ValueError(f"'p' must be at least 1, got {p}")

    def scores(self, x: Tensor) -> Scores:
        entry = values(x)
        binary = bool(((entry == 0) | (entry == 1)).all())
        if self.p == 2 or (binary and self.p < torch.inf):
            return _SquareScores(x)
        return _DistanceScores(x.to_dense(), self.p)

    def pynndescent(self) -> dict:
        named = {1: 'manhattan', 2: 'euclidean', torch.inf: 'chebyshev'}
        if self.p in named:  # faster than the general one
            return {'metric': named[self.p]}
        return {'metric': 'minkowski', 'metric_kwds': {'p': self.p}}

    def __repr__(self) -> str:
        return f'{type(self).__name__}(p={self.p:g})'


class _SquareScores(Scores):
    # The nearest node has the largest x_i x_j - |x_j|^2 / 2.
    def __init__(self, x: Tensor) -> None:
        limit = 0.5 / torch.finfo(x.dtype).eps
        whole = is_integer(x) and float(row_norm(x).max()) ** 2 < limit
        self.error = 0.0 if whole else rounding(x.dtype, max_entries(x))
        self.x = x if whole else scaled_down(x, row_norm(x, torch.inf).amax())
        self.centered = self.x
        if x.layout == torch.strided and not whole:
            # Far from the origin, products would be coarse.
            self.centered = self.x - self.x.mean(dim=0)
        norm = row_norm(self.centered)
        square = norm.square()
        if whole:
            square = square.round()  # exact, which a squared root isn't
        self.half = (square / 2).to(x.dtype).view(-1, 1)
        self.bound = self.error * norm.amax() * (norm + norm.amax())

    def block(self, start: int, stop: int) -> Tensor:
        return products(self.centered, start, stop).sub_(self.half)

    def slack(self, start: int, score: Tensor) -> Tensor:
        return self.bound[start : start + score.numel()].to(score.dtype)

    def again(self, node: Tensor, other: Tensor, score: Tensor) -> Tensor:
        def distance(a: Tensor, b: Tensor) -> Tensor:
            return (a - b).square().sum(-1)

        return -coarse(pairwise(self.x, node, other, distance))


class _DistanceScores(Scores):
    def __init__(self, x: Tensor, p: float) -> None:
        self.p = p
        largest = row_norm(x, torch.inf).amax()
        self.x = scaled_down(x, 2 * largest)  # no difference exceeds one
        self.error, self.least = rounding(x.dtype, x.size(1)), 0.0
        if p not in (1, torch.inf):
            # Powers of small differences vanish.
            self.x = self.x.double()
            tiny = torch.finfo(torch.double).tiny
            self.least = (x.size(1) * tiny) ** (1 / p)

    def block(self, start: int, stop: int) -> Tensor:
        return torch.cdist(self.x, self.x[start:stop], self.p).neg_()

    def slack(self, start: int, score: Tensor) -> Tensor:
        return self.error * score.abs() + self.least

    def again(self, node: Tensor, other: Tensor, score: Tensor) -> Tensor:
        def distance(a: Tensor, b: Tensor) -> Tensor:
            a = (a - b).abs()
            largest = a.amax(-1, keepdim=True)
            a = a / largest.where(largest > 0, 1)
            return torch.linalg.vector_norm(a, self.p, -1) * largest[:, 0]

        return -coarse(pairwise(self.x, node, other, distance))
