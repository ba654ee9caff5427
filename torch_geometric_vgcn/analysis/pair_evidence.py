r"""What features, classes and the graph say about pairs of nodes."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity
from torch_geometric.utils import degree

from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import resource_allocation


def pair_evidence(
    x: Tensor, prob: Tensor | None, edges: Candidates, pairs: Candidates
) -> list[Tensor]:
    r"""What is known of each pair besides whether it is among the given
    :obj:`edges`, of shape :obj:`[P]` each.
    """
    given = pairs.contains(edges.index)
    # Of both nodes, without their own edge:
    count = degree(edges.index.view(-1), x.size(0))
    count = count[pairs.index] - given.to(count)
    low, high = count.log1p().aminmax(dim=0)
    out = [low, high, resource_allocation(edges.index, pairs)]
    parts = [
        [cosine_similarity(a, b) for a, b in ends]
        for ends in _ends(x, edges, pairs.index, given)
    ]
    out += [torch.cat(part) for part in zip(*parts, strict=True)]
    if prob is not None:
        prob = prob.to(x)
        ends = list(_ends(prob, edges, pairs.index, given))
        for hop in zip(*ends, strict=True):
            left, right = (torch.cat(end) for end in zip(*hop, strict=True))
            out.append(_class_term(left, right, given))
    return out


def _ends(
    z: Tensor, edges: Candidates, index: Tensor, given: Tensor
) -> Iterator[list[tuple[Tensor, Tensor]]]:
    r"""The rows of both nodes of each pair, block by block: their own, and
    the means over their neighbourhoods of one and two hops. For a given edge,
    neither node has the other one as a neighbour: otherwise each edge would
    make its own nodes alike.
    """
    pattern = edges.pattern
    adj = pattern.entries(z.new_ones(1, len(edges)))
    count = degree(edges.index.view(-1), z.size(0), z.dtype).view(-1, 1) + 1
    mean = (z + pattern.product(adj, z.unsqueeze(0))[0]) / count
    total = mean + pattern.product(adj, mean.unsqueeze(0))[0]

    def of(i: Tensor, j: Tensor, edge: Tensor) -> list[Tensor]:
        left = count[i] - edge
        near = (count[i] * mean[i] - edge * z[j]) / left
        far = (total[i] - mean[i] + near - edge * mean[j]) / left
        return [z[i], near, far]

    rows = max(256, 2**21 // z.size(1))
    for (i, j), edge in zip(
        index.split(rows, dim=1), given.to(z).split(rows), strict=True
    ):
        edge = edge.view(-1, 1)
        yield list(zip(of(i, j, edge), of(j, i, edge), strict=True))


def _class_term(left: Tensor, right: Tensor, given: Tensor) -> Tensor:
    r"""How much more likely than by chance given edges join such classes."""
    share = torch.cat([left, right])[torch.cat([~given, ~given])].mean(dim=0)
    chance = torch.outer(share, share).clamp(min=1e-12)
    seen = left[given].t() @ right[given]
    seen = seen + seen.t() + chance  # which counts as one edge
    mixing = seen / (chance * seen.sum())
    return ((left @ mixing) * right).sum(dim=-1).clamp(min=1e-4).log()
