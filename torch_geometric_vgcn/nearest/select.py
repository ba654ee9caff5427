import torch
from torch import Tensor

from torch_geometric_vgcn.nearest.base import Scores


def select(scores: Scores, score: Tensor, start: int, k: int) -> Tensor:
    r"""The :obj:`k` nodes of the largest scores for each column of a block of
    scores :obj:`[N, B]`, of equal ones those of the lowest index. Returned as
    indices :obj:`[B, k]` in ascending order.

    The fast scores decide wherever their slack allows, all others are
    computed again.
    """
    other, column = _candidates(scores, score, start, k)
    near = score[other, column]
    order, rank = _ranking(column, near, other)
    last = near[order[rank == k - 1]]  # the k-th of each column
    slack = 2 * scores.slack(start, last)  # both sides may be off

    ahead = near - last[column]
    slack = slack[column]
    maybe = ahead.abs() <= slack
    # Exactly k in reach need no closer look, and equal ones no second one:
    reach = torch.bincount(column[ahead >= -slack], minlength=last.numel())
    maybe &= (reach[column] > k) & (slack > 0)
    if bool(maybe.any()):
        near = near.double()
        near[ahead > slack] = torch.inf
        near[ahead < -slack] = -torch.inf
        near[maybe] = scores.again(
            start + column[maybe], other[maybe], score[other, column][maybe]
        )
        order, rank = _ranking(column, near, other)
    chosen = other[order[rank < k]].view(-1, k)
    return chosen.sort(dim=-1).values


def _candidates(
    scores: Scores, score: Tensor, start: int, k: int
) -> tuple[Tensor, Tensor]:
    # Whoever is among the k largest is in one of the k groups with the largest
    # maxima. Maxima are cheap, and only these groups are looked at.
    size = max(1, min(32, score.size(0) // (2 * k + 2)))
    num_groups = score.size(0) // size
    rest = num_groups * size
    group = score[:rest].view(size, num_groups, -1)
    largest = group.amax(dim=0)
    least = largest.t().topk(k, dim=-1, sorted=False).values.amin(dim=-1)
    slack = 2 * scores.slack(start, least)

    least, exact = least - slack, slack == 0

    hit = largest >= least
    # With many as far as the last, as seen from empty rows, a list of all of
    # them would be longer than the block. The first k suffice.
    tied = exact & (hit.sum(dim=0) > 4 * k)
    hit &= ~tied
    index, column = hit.nonzero().unbind(1)
    part, found = (group[:, index, column] >= least[column]).nonzero().unbind(1)
    others = [part * num_groups + index[found]]
    columns = [column[found]]

    tail = (score[rest:] >= least) & ~tied
    index, column = tail.nonzero().unbind(1)
    others.append(rest + index)
    columns.append(column)

    if bool(tied.any()):
        tied = tied.nonzero().view(-1)
        block, least = score[:, tied], least[tied]
        equal = block == least
        equal &= equal.cumsum(dim=0, dtype=torch.int) <= k
        index, column = (equal | (block > least)).nonzero().unbind(1)
        others.append(index)
        columns.append(tied[column])
    return torch.cat(others), torch.cat(columns)


def _ranking(
    column: Tensor, score: Tensor, other: Tensor
) -> tuple[Tensor, Tensor]:
    # By column, then by falling score, then by index.
    order = other.argsort()
    order = order[score[order].argsort(descending=True, stable=True)]
    order = order[column[order].argsort(stable=True)]
    count = torch.bincount(column)
    first = (count.cumsum(0) - count).repeat_interleave(count)
    rank = torch.arange(order.numel(), device=order.device) - first
    return order, rank
