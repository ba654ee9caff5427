import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.metric import Metric, Scores, rounding
from torch_geometric_vgcn.utils import check_number
from torch_geometric_vgcn.utils.rows import (
    is_integer,
    pairwise,
    products,
    row_norm,
    scaled_down,
)


class Minkowski(Metric):
    r"""The Minkowski distance :math:`{\left(\sum_f |x_{if} - x_{jf}|^p
    \right)}^{1/p}`: for measurements.

    With :math:`p = 2` it costs as much as the cosine similarity. Otherwise
    each pair of nodes is compared by itself, with the features dense.

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
        if self.p == 2:
            return _by_products(x)
        # No difference exceeds one:
        x = scaled_down(x.to_dense(), 2 * row_norm(x, torch.inf).amax())
        # Powers of small differences vanish:
        least = (x.size(1) * torch.finfo(x.dtype).tiny) ** (1 / self.p)
        error = rounding(x)
        return Scores(
            lambda start, stop: -torch.cdist(x[start:stop], x, self.p),
            x.new_full((x.size(0), 1), least + error * x.size(1)),
            error,
            lambda node, other: self._again(x, node, other),
        )

    def _again(self, x: Tensor, node: Tensor, other: Tensor) -> Tensor:
        def distance(a: Tensor, b: Tensor) -> Tensor:
            a = (a - b).abs()
            largest = a.amax(-1, keepdim=True)
            a = a / largest.where(largest > 0, 1)
            return torch.linalg.vector_norm(a, self.p, -1) * largest[:, 0]

        return -pairwise(x, node, other, distance)

    def pynndescent(self) -> dict:
        named = {1: 'manhattan', 2: 'euclidean', torch.inf: 'chebyshev'}
        if self.p in named:  # faster than the general one
            return {'metric': named[self.p]}
        return {'metric': 'minkowski', 'metric_kwds': {'p': self.p}}

    def __repr__(self) -> str:
        return f'{type(self).__name__}(p={self.p:g})'


def _by_products(x: Tensor) -> Scores:
    r"""The nearest node has the largest :math:`\mathbf{x}_i^{\top}
    \mathbf{x}_j - \|\mathbf{x}_j\|^2 / 2`.
    """
    if is_integer(x) and float(row_norm(x).max()) ** 2 < 2**50:
        half = row_norm(x).square().round() / 2  # a squared root isn't exact
        return Scores(
            lambda start, stop: products(x, start, stop).t() - half,
            torch.zeros_like(half).view(-1, 1),
            error=0.0,
        )
    x = scaled_down(x, row_norm(x, torch.inf).amax())
    # Far from the origin, products would be coarse:
    near = x - x.mean(dim=0) if x.layout == torch.strided else x
    norm = row_norm(near)
    slack = rounding(x) * norm.amax() * (norm + norm.amax())

    def again(node: Tensor, other: Tensor) -> Tensor:
        return -pairwise(x, node, other, _squared)

    return Scores(
        lambda start, stop: (
            products(near, start, stop).t() - norm.square() / 2
        ),
        slack.view(-1, 1),
        rounding(x),
        again,
    )


def _squared(a: Tensor, b: Tensor) -> Tensor:
    return (a - b).square().sum(-1)
