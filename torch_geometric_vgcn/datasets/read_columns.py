import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.datasets.read_csv import check_names, read_csv
from torch_geometric_vgcn.datasets.read_parquet import (
    is_parquet,
    read_parquet,
)
from torch_geometric_vgcn.utils import check_kind


def read_columns(
    table: Any, encoding: str, option: Callable[[str], str] = repr
) -> dict[str, list[Any]]:
    r"""The columns of a :class:`pandas.DataFrame`, a mapping, or a CSV or
    Parquet file by name. :obj:`option` tells how a message calls an argument.
    """
    check_kind(encoding, str, 'encoding')
    if isinstance(table, (str, os.PathLike)):
        path = Path(table)
        content = _content(path)
        if is_parquet(content):
            return read_parquet(content, path)
        return read_csv(_text(path, content, encoding, option), path)
    is_frame = hasattr(table, 'keys') and hasattr(table, 'columns')
    if not is_frame and not isinstance(table, Mapping):
        raise TypeError(
            "'table' must be a DataFrame, a mapping from names to columns or "
            f'the path of a CSV or Parquet file, got {type(table).__name__}'
        )
    names = [str(name) for name in table.keys()]
    check_names(names, 'table')
    cells = [
        as_list(table[name], f"column '{name}' of 'table'")
        for name in table.keys()
    ]
    return dict(zip(names, cells, strict=True))


def as_list(value: Any, name: str) -> list[Any]:
    r"""The elements of a list, an array, a tensor or a column of pandas."""
    error = f'{name} must be a list, got {type(value).__name__}'
    if isinstance(value, (str, bytes, Mapping)):
        raise TypeError(error)
    try:
        return list(value.tolist() if hasattr(value, 'tolist') else value)
    except (RuntimeError, TypeError, ValueError) as why:
        raise TypeError(error) from why


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        # With its number it becomes a FileNotFoundError and so on.
        why = f"'table' must be a file that can be read: {error.strerror}"
        raise OSError(error.errno, why, str(path)) from error
    except ValueError as error:
        raise ValueError(
            f"'table' must be the path of a file, got {str(path)!r}"
        ) from error


def _text(
    path: Path, content: bytes, encoding: str, option: Callable[[str], str]
) -> str:
    try:
        # Without the byte-order mark that Excel writes:
        return content.decode(encoding).removeprefix('\ufeff')
    except UnicodeError as error:
        raise ValueError(
            f"'{path}' isn't {encoding} text ({error}): say what it is by "
            f"{option('encoding')}, such as 'latin-1' or 'utf-16'"
        ) from error
    except (LookupError, ValueError) as error:
        raise ValueError(
            f'{option("encoding")} must be one that Python knows, got '
            f'{encoding!r}'
        ) from error
