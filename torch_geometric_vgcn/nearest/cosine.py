import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.metric import Metric, Scores, rounding
from torch_geometric_vgcn.utils.rows import map_rows, products, row_norm


class Cosine(Metric):
    r"""The cosine similarity :math:`\mathbf{x}_i^{\top}\mathbf{x}_j /
    \|\mathbf{x}_i\| \|\mathbf{x}_j\|`: for bags of words and other directions.
    Features that are all zero have similarity zero with all others.
    """

    def scores(self, x: Tensor) -> Scores:
        # A bag of words whose rows were scaled is made of ones again:
        for p in (torch.inf, 2):
            norm = row_norm(x, p)
            x = map_rows(x, torch.div, norm.where(norm > 0, 1.0))
        error = rounding(x)
        return Scores(
            lambda start, stop: products(x, start, stop).t(),
            norm.new_full((x.size(0), 1), error),
            error,
            unit=1.0,
        )

    def pynndescent(self) -> dict:
        return {'metric': 'cosine'}
