from dataclasses import dataclass, field

import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.targets import Targets
from torch_geometric_vgcn.nearest import Cells
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import negative_distance

#: Up to how many rows all of them are compared with each other.
EXACT = 20_000


@dataclass
class Task:
    r"""What an estimator is trained with, whatever its graph.

    Args:
        x (Tensor): The features, of shape :obj:`[N, F]`.
        targets (Targets): What is known of the rows.
        hidden (int): The number of hidden units.
        steps (int): The number of steps of each training of the network.
        batch_size (int): The number of rows per step.
        given (Tensor, optional): The given graph, of shape :obj:`[2, E]`.
            (default: :obj:`None`)
        most (int, optional): The largest number of neighbours that will be
            asked for. (default: :obj:`20`)
        progress (bool, optional): Whether to show progress bars.
            (default: :obj:`False`)
        generator (torch.Generator, optional): The source of all randomness.
            (default: a new one)
    """

    x: Tensor
    targets: Targets
    hidden: int
    steps: int
    batch_size: int
    given: Tensor | None = None
    most: int = 20
    progress: bool = False
    generator: torch.Generator = field(
        default_factory=torch.Generator, repr=False
    )
    _found: Tensor | None = field(default=None, repr=False)

    @property
    def num_rows(self) -> int:
        return self.x.size(0)

    def nearest(self, k: int) -> Tensor:
        r"""The edges from the nearest rows, of shape :obj:`[2, N * k]`."""
        k = min(k, self.num_rows - 1)
        if self._found is None or self._found.size(1) < k:
            cells = cells_of(self.x)
            most = min(max(k, self.most), self.num_rows - 1)
            self._found = cells.nearest(
                self.x, most, own=True, progress=self.progress
            )[1]
        row = torch.arange(self.num_rows, device=self.x.device)
        near = self._found[:, :k].flatten()
        return torch.stack([near, row.repeat_interleave(k)])

    def similarity(self, pairs: Candidates) -> Tensor:
        r"""How alike the rows of each pair are."""
        return negative_distance(self.x, pairs)


def cells_of(x: Tensor) -> Cells:
    r"""The index of nearest rows: exact for a small table."""
    num_rows = x.size(0)
    return Cells(x, num_rows) if 2 <= num_rows <= EXACT else Cells(x)
