from torch_geometric_vgcn.transforms.random_perturbation import (
    RandomPerturbation,
)
from torch_geometric_vgcn.utils import check_positive


class AddEdges(RandomPerturbation):
    r"""Adds random edges, a share of the number of existing edges.

    Args:
        share (float): The number of edges to add, as a share of the edges;
            it may be above one.
        seed (int, optional): The seed of the choice. (default: :obj:`0`)
    """

    def __init__(self, share: float, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.share = check_positive(share, 'share')

    def counts(self, num_edges: int) -> tuple[int, int]:
        return round(self.share * num_edges), 0

    def __repr__(self) -> str:
        return f'{type(self).__name__}(share={self.share}, seed={self.seed})'
