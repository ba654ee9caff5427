import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import Metric, check_search
from torch_geometric_vgcn.nearest.cells import Cells
from torch_geometric_vgcn.nearest.cosine import Cosine
from torch_geometric_vgcn.nearest.minkowski import Minkowski
from torch_geometric_vgcn.utils import COUNT, FLAG, SIZE, at_least, checked
from torch_geometric_vgcn.utils.rows import map_rows, row_norm


class CellSearch:
    r"""Finds most of the nearest neighbours by comparing each node with those
    of the cells around it (:class:`~torch_geometric_vgcn.nearest.Cells`), in
    time and memory that grow with the number of nodes. It needs no further
    package; where :obj:`pynndescent` is installed, :class:`ApproximateSearch`
    is several times faster. Features are dense; nodes are compared by
    :class:`~torch_geometric_vgcn.nearest.Cosine` or
    :class:`~torch_geometric_vgcn.nearest.Minkowski` with :math:`p = 2`.

    Args:
        size (int, optional): How many nodes a cell has at most.
            (default: :obj:`1024`)
        probes (int, optional): With the nodes of how many cells a node is
            compared: more find more. (default: :obj:`16`)
        seed (int, optional): The seed. (default: :obj:`0`)
        progress (bool, optional): Whether to show a progress bar.
            (default: :obj:`False`)
    """

    @checked(size=at_least(2), probes=SIZE, seed=COUNT, progress=FLAG)
    def __init__(
        self,
        size: int = 1024,
        probes: int = 16,
        seed: int = 0,
        progress: bool = False,
    ) -> None:
        self.size = size
        self.probes = probes
        self.seed = seed
        self.progress = progress

    def __call__(self, x: Tensor, k: int, metric: Metric) -> Tensor:
        r"""The indices :obj:`[N, k]` of each node's neighbours, ascending.

        Args:
            x (Tensor): Features :obj:`[N, F]`, dense.
            k (int): The number of neighbours, below :obj:`N`.
            metric (Metric): What makes nodes near to each other.
        """
        k = check_search(x, k, metric)
        if x.layout != torch.strided:
            raise TypeError(
                f"'x' must be dense for CellSearch, got {x.layout}: reduce "
                "it (TruncatedSVD), or use 'ExactSearch'"
            )
        x = x if x.dtype == torch.double else x.float()
        # No square may overflow or vanish:
        tiny = torch.finfo(x.dtype).tiny
        x = x / x.abs().max().clamp(min=tiny)
        if isinstance(metric, Cosine):
            norm = row_norm(x)
            empty = norm == 0
            x = map_rows(x, torch.div, norm.masked_fill(empty, 1.0))
            # As far from all others as orthogonal rows are, not halfway:
            x = torch.cat([x, empty.to(x.dtype).view(-1, 1)], dim=1)
        elif not (isinstance(metric, Minkowski) and metric.p == 2):
            raise ValueError(
                "'metric' must be Cosine() or Minkowski(p=2) for CellSearch, "
                f"got {metric}: use 'ExactSearch'"
            )
        cells = Cells(x, self.size, self.probes, self.seed)
        _, neighbor = cells.nearest(x, k, own=True, progress=self.progress)
        return neighbor.sort().values

    def __repr__(self) -> str:
        return f'{type(self).__name__}(probes={self.probes})'
