import torch
from torch import Tensor

from torch_geometric_vgcn.transforms.random_perturbation import (
    RandomPerturbation,
)
from torch_geometric_vgcn.utils import check_share


class DropEdges(RandomPerturbation):
    r"""Removes a random share of the edges. Unlike
    :class:`RandomPerturbation`, it may leave nodes without any.

    Args:
        share (float): The share of the edges to remove.
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.share = check_share(share, 'share')

    def counts(self, num_edges: int) -> tuple[int, int]:
        return 0, round(self.share * num_edges)

    def removable(
        self, edges: Tensor, num_nodes: int, generator: torch.Generator
    ) -> Tensor:
        return edges

    def __repr__(self) -> str:
        return f'{type(self).__name__}(share={self.share}, seed={self.seed})'
