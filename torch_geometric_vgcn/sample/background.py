import torch
from torch import Tensor

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.pairs.base import find, pair_key


def draw_background(
    pairs: Pairs,
    prob: float,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draws each pair that isn't among :obj:`pairs` independently with the
    same probability, at the cost of those that are drawn: their number is
    binomial, and given their number they are uniform.

    Args:
        pairs (Pairs): The pairs to leave out.
        prob (float): The probability of each other pair.
        generator (torch.Generator, optional): The source of randomness.
            (default: :obj:`None`)

    Returns:
        The pairs drawn, of shape :obj:`[2, M]`.
    """
    n, device = pairs.num_nodes, pairs.index.device
    # Over all pairs first; leaving out the given ones afterwards doesn't
    # change the distribution of the others.
    count = torch.tensor(pairs.num_possible, dtype=torch.double, device=device)
    count = torch.binomial(
        count, torch.full_like(count, prob), generator=generator
    )
    wanted = int(count)
    key = pairs.index.new_empty(0)
    # Whatever came twice is drawn again, so any set is as likely as another.
    while (missing := wanted - key.numel()) > 0:
        i = torch.randint(n, (missing,), generator=generator, device=device)
        j = torch.randint(
            n - 1, (missing,), generator=generator, device=device
        )
        j = j + (j >= i)
        key = torch.cat([key, pair_key(torch.stack([i, j]), n)]).unique()
    _, given = find(pairs.key, key)
    key = key[~given]
    return torch.stack([key // n, key % n])
