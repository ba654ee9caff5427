import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import Metric, check_search
from torch_geometric_vgcn.nearest.select import select
from torch_geometric_vgcn.utils import SIZE, checked
from torch_geometric_vgcn.utils.rows import fastest_layout


class ExactSearch:
    r"""Finds the nearest neighbours by comparing all pairs of nodes, a block
    of nodes at a time: beside the features it holds
    :obj:`N * block_size` numbers, never :math:`N \times N`.

    Neighbours are those of the features as they are given, not of rounded
    products: near the :math:`k`-th neighbour, distances are computed again in
    double precision and compared by their first 12 digits. Those that are
    equal then count as equally far, and the lower index wins. Hence equal
    features are equally far from all others, and neither the block size nor
    the layout matters.

    Args:
        block_size (int, optional): How many nodes are compared with all others
            at a time. (default: :obj:`128`, or as many as make a
            million pairs if that is more)
    """

    @checked(block_size=SIZE)
    def __init__(self, block_size: int | None = None) -> None:
        self.block_size = block_size

    @torch.no_grad()
    def __call__(self, x: Tensor, k: int, metric: Metric) -> Tensor:
        r"""The indices :obj:`[N, k]` of each node's neighbours, ascending.

        Args:
            x (Tensor): Features :obj:`[N, F]`, dense or sparse.
            k (int): The number of neighbours, below :obj:`N`.
            metric (Metric): What makes nodes near to each other.
        """
        k = check_search(x, k, metric)
        if x.dtype not in (torch.float, torch.double):
            x = x.float()
        if torch.get_float32_matmul_precision() != 'highest':
            x = x.double()  # products of floats may be coarse then
        scores = metric.scores(fastest_layout(x))
        num_nodes = x.size(0)
        size = self.block_size or max(128, 2**20 // num_nodes)
        neighbors = []
        for start in range(0, num_nodes, size):
            stop = min(start + size, num_nodes)
            score = scores.block(start, stop)
            score[start:stop].fill_diagonal_(-torch.inf)
            neighbors.append(select(scores, score, start, k))
        return torch.cat(neighbors)

    def __repr__(self) -> str:
        return f'{type(self).__name__}(block_size={self.block_size})'
