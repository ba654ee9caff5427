r"""The files that the command writes."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from torch_geometric_vgcn.utils import (
    check_writable,
    same_file,
    whole_file,
)

#: With their names, of which some may be alike.
Columns = Sequence[tuple[str, Sequence[Any]]]


def check_file(option: str, path: Path) -> None:
    r"""Expects a file that can be written: training takes minutes."""
    if path.is_dir():
        raise ValueError(f"{option} must be a file, got the folder '{path}'")
    if not path.parent.is_dir():
        raise ValueError(
            f"{option} '{path}' must be in a folder that exists, got "
            f"'{path.parent}'"
        )
    with about_option(option, path):
        check_writable(path)


def check_different(files: Mapping[str, Path]) -> None:
    r"""Expects that no file is written over another one."""
    for (one, first), (two, second) in combinations(files.items(), 2):
        if same_file(first, second):
            raise ValueError(
                f"{two} must be another file than {one}, got '{second}'"
            )


@contextmanager
def about_option(option: str, path: str | Path) -> Iterator[None]:
    r"""Says which option an error is about."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{option} must be a file that can be written, got '{path}' "
            f'({error.__cause__ or error})'
        ) from error


def edge_columns(graph: scipy.sparse.csr_array, names: Columns) -> Columns:
    r"""The columns of the file of edges: each edge once, the most probable
    first.
    """
    half = scipy.sparse.triu(graph).tocoo()
    order = np.argsort(-half.data, kind='stable')
    row, col = half.row[order].tolist(), half.col[order].tolist()
    return [
        ('row', row),
        ('other_row', col),
        *((name, [cells[at] for at in row]) for name, cells in names),
        *(
            (f'other_{name}', [cells[at] for at in col])
            for name, cells in names
        ),
        ('probability', [f'{prob:.4f}' for prob in half.data[order]]),
    ]


def write_columns(path: Path, columns: Columns) -> None:
    r"""Writes a CSV file, whole or not at all."""
    with whole_file(path) as file:
        text = TextIOWrapper(file, 'utf-8', newline='')
        writer = csv.writer(text)
        writer.writerow([name for name, _ in columns])
        writer.writerows(zip(*(cells for _, cells in columns), strict=True))
        text.detach()
