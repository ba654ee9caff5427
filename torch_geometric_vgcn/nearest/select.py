from math import isqrt

import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import Scores


def select(scores: Scores, score: Tensor, start: int, k: int) -> Tensor:
    r"""The :obj:`k` nodes of the largest scores for each column of a block of
    scores :obj:`[N, B]`, of equal ones those of the lowest index. Returned as
    indices :obj:`[B, k]` in ascending order.

    The fast scores decide wherever their slack allows. All others are computed
    again.
    """
    column, other = _candidates(scores, score, start, k)
    near = score[other, column]
    last = _table(column, near).topk(k, sorted=False).values.amin(dim=-1)
    slack = 2 * scores.slack(start, last)[column]  # both of two may be off
    ahead = near - last[column]
    chosen = ahead > slack
    unsure = ahead.abs() <= slack

    missing = k - torch.bincount(column[chosen], minlength=last.numel())
    found = torch.bincount(column[unsure], minlength=last.numel())
    chosen |= unsure & (found == missing)[column]
    unsure &= (found > missing)[column]
    if bool(unsure.any()):
        column, near, slack = column[unsure], near[unsure], slack[unsure]
        near, off = near.double(), slack > 0
        if bool(off.any()):
            near[off] = scores.again(
                start + column[off], other[unsure][off], near[off]
            )
        chosen[unsure] = _rank(column, near) < missing[column]
    return other[chosen].view(-1, k)


def _candidates(
    scores: Scores, score: Tensor, start: int, k: int
) -> tuple[Tensor, Tensor]:
    r"""The column and the node of all that can be among the nearest, sorted in
    this order.
    """
    # Each of the k largest is in one of the k groups with the largest
    # maxima. Maxima are cheap, and only these groups are looked at.
    num_nodes, width = score.shape
    size = min(2 * isqrt(num_nodes // k), num_nodes // (2 * k + 2))
    size = max(1, size)
    num_groups = num_nodes // size
    rest = num_groups * size
    group = score[:rest].view(size, num_groups * width)
    largest = group.amax(dim=0).view(num_groups, width)
    least = largest.t().topk(k, sorted=False).values.amin(dim=-1)
    slack = 2 * scores.slack(start, least)
    least -= slack

    index = (largest >= least).view(-1).nonzero().view(-1)
    column = index % width
    # With many as far as the last, as seen from an empty row, a list of all of
    # them would be longer than the block. The first k suffice.
    tied = (torch.bincount(column, minlength=width) > 4 * k) & (slack == 0)
    index, column = index[~tied[column]], column[~tied[column]]
    found = group.index_select(1, index) >= least[column]
    part, place = found.nonzero().unbind(1)
    others = [part * num_groups + index[place] // width]
    columns = [column[place]]
    tail, column = ((score[rest:] >= least) & ~tied).nonzero().unbind(1)
    others.append(rest + tail)
    columns.append(column)

    if bool(tied.any()):
        tied = tied.nonzero().view(-1)
        block, least = score[:, tied], least[tied]
        equal = block == least
        equal &= equal.cumsum(dim=0, dtype=torch.int) <= k
        index, place = (equal | (block > least)).nonzero().unbind(1)
        others.append(index)
        columns.append(tied[place])
    pair = torch.cat(columns) * num_nodes + torch.cat(others)
    pair = pair.sort().values
    return pair // num_nodes, pair % num_nodes


def _place(column: Tensor) -> Tensor:
    r"""The place of each pair in its column."""
    count = torch.bincount(column)
    first = (count.cumsum(0) - count).repeat_interleave(count)
    return torch.arange(column.numel(), device=column.device) - first


def _table(column: Tensor, score: Tensor) -> Tensor:
    r"""The scores of each column as one row."""
    place = _place(column)
    size = (int(column[-1]) + 1, int(place.max()) + 1)
    table = score.new_full(size, -torch.inf)
    table[column, place] = score
    return table


def _rank(column: Tensor, score: Tensor) -> Tensor:
    r"""The rank of each score in its column, of equal ones by index."""
    order = score.argsort(descending=True, stable=True)
    order = order[column[order].argsort(stable=True)]
    rank = torch.empty_like(order)
    rank[order] = _place(column)
    return rank
