r"""Results on disk."""

from pathlib import Path

import torch
from numpy.lib.format import open_memmap
from torch import Tensor

from torch_geometric_vgcn.training.ranks import Ranks


def shared_rows(
    path: Path, num_rows: int, num_cols: int, ranks: Ranks
) -> Tensor:
    r"""A new :obj:`.npy` file of float32 rows, mapped by all processes: what
    is written to the tensor is written to the file.
    """
    if ranks.rank == 0:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            open_memmap(path, 'w+', 'float32', (num_rows, num_cols))
        except OSError as error:
            raise OSError(f"'out' {path} can't be written: {error}") from error
    ranks.wait()
    return torch.from_numpy(open_memmap(path, 'r+'))
