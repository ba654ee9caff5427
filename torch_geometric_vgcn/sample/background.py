import math

import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.utils import find, pair_at, wide

# Expected pairs per graph that are still cheap to draw, however few the nodes:
FEW = 2**20
# ... and per node, however many:
PER_NODE = 4


def check_background(pairs: Pairs, prob: float, name: str) -> None:
    r"""Raises an error if so many pairs would be drawn that the model costs
    more than its candidates.
    """
    mean, most = pairs.num_possible * prob, PER_NODE * pairs.num_nodes
    if mean > max(FEW, most):
        raise ValueError(
            f'{name} would draw about {mean:.2g} background pairs per graph, '
            f'expected at most {max(FEW, most):.2g} for {pairs.num_nodes} '
            'nodes: lower it, or use AllPairs'
        )


def draw_background(
    pairs: Pairs,
    prob: float,
    num_samples: int = 1,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Draws each pair that isn't among :obj:`pairs` independently with the
    same probability, at the cost of those that are drawn: the gaps between
    them are geometric.

    The shapes don't depend on what is drawn, so that no step waits for the
    device: there are slots for eight standard deviations above the mean, and a
    mask tells which are used.

    Args:
        pairs (Pairs): The pairs to leave out.
        prob (float): The probability of each other pair.
        num_samples (int, optional): The number :math:`S` of graphs.
            (default: :obj:`1`)
        generator (torch.Generator, optional): The source of randomness.
            (default: :obj:`None`)

    Returns:
        The pairs :math:`i < j`, of shape :obj:`[2, S, M]`, and which of them
        were drawn, of shape :obj:`[S, M]`.
    """
    mean = pairs.num_possible * prob
    slots = math.ceil(mean + 8 * math.sqrt(mean) + 16)
    size = (num_samples, min(slots, pairs.num_possible))
    uniform = torch.rand(
        size,
        generator=generator,
        dtype=wide(pairs.device),
        device=pairs.device,
    )
    gap = torch.log1p(-uniform) / math.log1p(-prob)
    # Beyond the last pair all gaps are alike, and sums mustn't overflow:
    gap = gap.clamp_(max=pairs.num_possible).long() + 1
    place = gap.cumsum(dim=1) - 1
    drawn = place < pairs.num_possible
    index = pair_at(place * drawn, pairs.num_nodes)
    _, given = find(pairs.key, index[0] * pairs.num_nodes + index[1])
    # Leaving out the given ones doesn't change the chances of the others:
    return index, drawn & ~given
