import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
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
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter)
    header: list[str] = []
    rows = []
    try:
        for row in reader:
            if _is_blank(row):
                continue
            if not header:
                header = [name.strip() for name in row]
                check_names(header, 'table')
            elif len(row) == len(header):
                rows.append(row)
            else:
                raise ValueError(
                    f"'{path}' must have {len(header)} cells in each line, "
                    f'got {len(row)} in line {reader.line_num}'
                )
    except csv.Error as error:
        raise ValueError(
            f"'{path}' must be a CSV file, got one that can't be read in "
            f'line {reader.line_num} ({error})'
        ) from error
    if not header:
        raise ValueError(
            f"'{path}' must have a line of column names, got an empty file"
        )
    cells = [list(cell) for cell in zip(*rows, strict=True)]
    cells = cells or [[] for _ in header]
    columns = dict(zip(header, cells, strict=True))
    if delimiter != ',':
        return {name: _with_points(cells) for name, cells in columns.items()}
    return columns


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

    def cells(delimiter: str) -> int:
        reader = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter)
        try:
            return len(next(row for row in reader if not _is_blank(row)))
        except (csv.Error, StopIteration):
            return 0

    return max(DELIMITERS, key=cells)


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
