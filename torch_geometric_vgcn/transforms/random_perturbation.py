import torch
from torch import Tensor

from torch_geometric_vgcn.transforms.perturbation import Flips, Perturbation


class RandomPerturbation(Perturbation):
    r"""Adds and removes edges at random: the simplest baseline for
    :class:`PoisonGraph`, in the same calls.

    Args:
        add (int, optional): The number of edges to add. (default: :obj:`0`)
        remove (int, optional): The number of edges to remove.
            (default: :obj:`0`)
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, add: int = 0, remove: int = 0, seed: int = 0) -> None:
        super().__init__(add, remove, seed, candidates=1)

    def score(self, flips: Flips, generator: torch.Generator) -> Tensor:
        return torch.rand(flips.pairs.size(1), generator=generator)
