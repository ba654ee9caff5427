import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import (
    Metric,
    Scores,
    coarse,
    rounding,
)
from torch_geometric_vgcn.utils.rows import (
    is_integer,
    map_rows,
    max_entries,
    pairwise,
    products,
    row_norm,
    scaled_down,
    values,
)


class Cosine(Metric):
    r"""The cosine similarity :math:`\mathbf{x}_i^{\top}\mathbf{x}_j /
    \|\mathbf{x}_i\| \|\mathbf{x}_j\|`: for bags of words and other directions.
    Features that are all zero have similarity zero with all others.
    """

    def scores(self, x: Tensor) -> Scores:
        return _CosineScores(x)

    def pynndescent(self) -> dict:
        return {'metric': 'cosine'}


class _CosineScores(Scores):
    def __init__(self, x: Tensor) -> None:
        self.error = rounding(x.dtype, max_entries(x))
        largest = row_norm(x, torch.inf)
        # Rows may be scaled. A bag of words whose rows were normalised is made
        # of zeros and ones again, and its products are whole numbers.
        unit = map_rows(x, torch.div, largest.where(largest > 0, 1))
        if not is_integer(x):
            x = unit if is_integer(unit) else scaled_down(x, largest)
        self.norm = row_norm(x)
        self.inverse = torch.where(self.norm > 0, 1 / self.norm, 0)
        limit = 0.25 / self.error
        self.whole = is_integer(x) and float(self.norm.max()) ** 2 < limit
        self.positive = bool((values(x) >= 0).all())
        self.x, self.unit = x, map_rows(x, torch.mul, self.inverse)

    def block(self, start: int, stop: int) -> Tensor:
        return products(self.unit, start, stop)

    def slack(self, start: int, score: Tensor) -> Tensor:
        if self.positive:  # then no terms cancel
            return self.error * score.abs()
        norm = self.norm[start : start + score.numel()]
        return self.error * (norm > 0).to(score.dtype)

    def again(self, node: Tensor, other: Tensor, score: Tensor) -> Tensor:
        if self.whole:
            dot = (score * self.norm[node] * self.norm[other]).round()
        else:
            dot = pairwise(self.x, node, other, lambda a, b: (a * b).sum(-1))
        return coarse(dot * self.inverse[other])
