import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.metric import Metric, Scores, check_search
from torch_geometric_vgcn.utils import SIZE, check_count, checked
from torch_geometric_vgcn.utils.rows import fastest_layout

#: How many scores are held at a time, for at least so many rows.
SCORES, ROWS = 2**20, 32
#: How many more rows than needed are found by products, which are rounded.
SPARE = 8


class ExactSearch:
    r"""Finds the nearest neighbours by comparing all pairs of nodes, a block
    of nodes at a time: beside the features it holds
    :obj:`N * block_size` numbers, never :math:`N \times N`.

    Neighbours are those of the features as they are given, in double
    precision. Of those that are equally far but for rounding errors, the
    lower index wins. Hence equal features are equally far from all others,
    and neither the block size nor the layout matters.

    Args:
        block_size (int, optional): How many nodes are compared with all others
            at a time. (default: :obj:`32`, or as many as make a million pairs
            if that is more)
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
        scores = metric.scores(fastest_layout(x.double()))
        num_nodes = x.size(0)
        size = self.block_size or max(ROWS, SCORES // num_nodes)
        neighbors = []
        for start in range(0, num_nodes, size):
            stop = min(start + size, num_nodes)
            score = scores.block(start, stop).contiguous()
            score[:, start:stop].fill_diagonal_(-torch.inf)
            neighbors.append(_select(scores, score, start, k))
        return torch.cat(neighbors)

    def __repr__(self) -> str:
        return f'{type(self).__name__}(block_size={self.block_size})'


def _select(scores: Scores, score: Tensor, start: int, k: int) -> Tensor:
    r"""The :obj:`k` nodes of the largest scores in each row of a block, of
    equal ones those of the lowest index: :obj:`[B, k]`, ascending.
    """
    slack = 2 * scores.slack[start : start + score.size(0)]  # both may be off
    least = score.topk(k).values[:, -1:] - slack
    node, other = (score >= least).nonzero().unbind(1)
    value, count = score[node, other], torch.bincount(node)
    if scores.again is not None:
        unsure = (count > k)[node]  # the others are the only ones
        value[unsure] = scores.again(start + node[unsure], other[unsure])
    place = torch.arange(node.numel(), device=node.device)
    place -= (count.cumsum(0) - count)[node]
    table = score.new_full((count.numel(), int(count.max())), -torch.inf)
    table[node, place] = value
    last = table.topk(k).values[:, -1:]
    error = scores.error * last.abs().clamp(min=scores.unit)
    ahead = table > last + error
    tied = (table >= last - error) & ~ahead
    tied &= tied.cumsum(dim=1) <= k - ahead.sum(dim=1, keepdim=True)
    chosen = (ahead | tied)[node, place]
    return other[chosen].view(-1, k)


@torch.no_grad()
def nearest_rows(x: Tensor, query: Tensor, k: int) -> tuple[Tensor, Tensor]:
    r"""The Euclidean distances and the indices of the rows that are nearest
    to queries, each of shape :obj:`[Q, k]`, the nearest first, of equally
    near ones that of the lowest index.

    Args:
        x (Tensor): The rows, dense, of shape :obj:`[N, F]`.
        query (Tensor): The queries, of shape :obj:`[Q, F]`.
        k (int): The number of rows, at most :obj:`N`.
    """
    k = check_count(k, 'k', least=1)
    if k > x.size(0):
        raise ValueError(f"'k' must be at most {x.size(0)}, got {k}")
    most = min(k + SPARE, x.size(0))
    step = max(1, SCORES // (most * x.size(1)))
    half = x.square().sum(dim=1) / 2
    distances, indices = [], []
    for some in query.split(max(ROWS, SCORES // x.size(0))):
        score = torch.addmm(-half, some, x.t())
        row = score.topk(most, sorted=False).indices.sort(dim=1).values
        for part, near in zip(
            some.double().split(step), row.split(step), strict=True
        ):
            distance = (x[near].double() - part.unsqueeze(1)).norm(dim=-1)
            distance, order = distance.sort(dim=1, stable=True)
            distances.append(distance[:, :k])
            indices.append(near.gather(1, order[:, :k]))
    return torch.cat(distances), torch.cat(indices)
