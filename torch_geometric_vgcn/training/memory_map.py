r"""Results on disk."""

import os
from pathlib import Path
from shutil import copymode
from typing import Any

import torch
from numpy.lib.format import open_memmap
from torch import Tensor

from torch_geometric_vgcn.utils.ranks import Ranks


class WholeRows:
    r"""A new :obj:`.npy` file of float32 rows that all processes write to,
    and which appears whole or not at all: use it in a :obj:`with` statement.

    Args:
        path (Path): The file.
        num_rows (int): The number of rows.
        ranks (Ranks): The processes.
        key (int): A random number, the same in all processes, that no other
            run has.
    """

    def __init__(
        self, path: Path, num_rows: int, ranks: Ranks, key: int
    ) -> None:
        self.path = path
        self.target = Path(os.path.realpath(path))
        self.part = self.target.with_name(f'.{key:016x}.part')
        self.num_rows = num_rows
        self.ranks = ranks
        self.rows: Tensor | None = None

    def __enter__(self) -> 'WholeRows':
        return self

    def __exit__(self, *error: Any) -> None:
        if self.ranks.rank == 0:
            self.part.unlink(missing_ok=True)

    def write(self, place: Tensor, rows: Any) -> None:
        r"""Writes some rows. All processes must take part."""
        if not isinstance(rows, Tensor):
            raise TypeError(
                "'out' must be None for predictions of several tensors, got "
                f'those of {type(rows).__name__}'
            )
        if self.rows is None:
            self.rows = self._mapped(rows.size(1))
        self.rows[place.cpu()] = rows.float().cpu()

    def finish(self) -> Tensor:
        r"""The memory map of the file, which is whole now."""
        self.rows = None  # a file that is mapped may have no other name
        self.ranks.wait()
        if self.ranks.rank == 0:
            with self.part.open('rb+') as file:
                os.fsync(file.fileno())
            if self.target.exists():
                copymode(self.target, self.part)
            os.replace(self.part, self.target)
        self.ranks.wait()
        return torch.from_numpy(open_memmap(self.target, 'r+'))

    def _mapped(self, num_cols: int) -> Tensor:
        if self.ranks.rank == 0:
            size = (self.num_rows, num_cols)
            try:
                self.part.parent.mkdir(parents=True, exist_ok=True)
                open_memmap(self.part, 'w+', 'float32', size)
            except OSError as error:
                raise OSError(
                    f"'out' {self.path} can't be written: {error}"
                ) from error
        self.ranks.wait()
        return torch.from_numpy(open_memmap(self.part, 'r+'))
