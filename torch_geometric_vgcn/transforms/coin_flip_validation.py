import torch
from torch import Tensor

from torch_geometric_vgcn.transforms.half_validation import MoveValidation


class CoinFlipValidation(MoveValidation):
    r"""Moves each validation node to the training set with probability one
    half. The authors of the `"Learning Discrete Structures for Graph Neural
    Networks" <https://arxiv.org/abs/1903.11960>`_ paper made their splits so;
    :class:`HalfValidation` moves exactly half of them.

    Args:
        seed (int, optional): The seed of the coins. (default: :obj:`0`)
    """

    def choose(self, count: int, generator: torch.Generator) -> Tensor:
        coins = torch.randint(2, (count,), generator=generator)
        return coins.nonzero().view(-1)
