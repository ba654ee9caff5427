import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.datasets.missing import is_missing

#: What may separate cells: Excel writes what is usual in its country.
DELIMITERS = ',;\t|'
#: A number with a decimal comma, and one that may have a thousands separator.
DECIMAL = re.compile(r'[-+]?\d+(,\d+)?([eE][-+]?\d+)?')
THOUSANDS = re.compile(r'[-+]?\d{1,3}(,\d{3})+')


def read_csv(text: str, path: Path) -> dict[str, list[Any]]:
    r"""The columns of a CSV file by the names in its first line."""
    arrow, delimiter = needed('pyarrow.csv', path), _delimiter(text)
    header = [name.strip() for name in _first(text, delimiter)]
    if not header:
        raise ValueError(
            f"'{path}' must have a line of column names, got an empty file"
        )
    check_names(header, 'table')
    content = text.encode() + b'\n'
    places = [f'f{place}' for place in range(len(header))]
    try:
        table = arrow.read_csv(
            io.BytesIO(content),
            arrow.ReadOptions(
                use_threads=False,
                block_size=len(content) + 1,
                autogenerate_column_names=True,
            ),
            arrow.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                invalid_row_handler=_blank_or_wrong,
            ),
            arrow.ConvertOptions(column_types=dict.fromkeys(places, 'string')),
        )
        cells = [table[place].to_pylist()[1:] for place in places]
    except (KeyError, OverflowError, ValueError) as error:
        raise ValueError(
            f"'{path}' must be a CSV file with {len(header)} cells in each "
            f"line, got one that can't be read ({error})"
        ) from error
    columns = dict(zip(header, cells, strict=True))
    if delimiter != ',':
        return {name: _with_points(cells) for name, cells in columns.items()}
    return columns


def _blank_or_wrong(row: Any) -> str:
    r"""What PyArrow does with a line of another number of cells."""
    return 'error' if row.text.strip() else 'skip'


def needed(name: str, path: Path) -> Any:
    r"""A package that a file can't be read without."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"'{path}' needs the package {name.partition('.')[0]}: pip "
            "install 'torch_geometric_vgcn[tables]'"
        ) from error


def check_names(names: Iterable[str], argument: str) -> None:
    r"""Expects each name once."""
    several = {
        name: count for name, count in Counter(names).items() if count > 1
    }
    if several:
        told = ', '.join(f'{name!r} {n} times' for name, n in several.items())
        raise ValueError(
            f"'{argument}' must name each column differently, got {told}"
        )


def _delimiter(text: str) -> str:
    r"""That which makes most cells of the first line."""
    return max(DELIMITERS, key=lambda each: len(_first(text, each)))


def _first(text: str, delimiter: str) -> list[str]:
    r"""The first line that isn't blank."""
    reader = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter)
    try:
        return next((row for row in reader if not _is_blank(row)), [])
    except csv.Error:
        return []


def _is_blank(row: list[str]) -> bool:
    return len(row) < 2 and not ''.join(row).strip()


def _with_points(column: list[str]) -> list[str]:
    r"""The column with decimal points, if it has numbers with decimal
    commas. Such as 1,234 may be more than a thousand, and stays.
    """
    cells = [cell.strip() for cell in column if not is_missing(cell)]
    commas = [cell for cell in cells if ',' in cell]
    unclear = all(THOUSANDS.fullmatch(cell) for cell in commas)
    if not unclear and all(DECIMAL.fullmatch(cell) for cell in cells):
        return [cell.replace(',', '.') for cell in column]
    return column
