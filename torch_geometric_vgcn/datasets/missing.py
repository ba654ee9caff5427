from collections import Counter
from collections.abc import Iterable
from typing import Any

# What pandas.read_csv takes for missing, and the '?' of the UCI data sets:
MARKERS = frozenset(
    ('', '#N/A', '#N/A N/A', '#NA', '-1.#IND', '-1.#QNAN', '-NaN', '-nan')
    + ('1.#IND', '1.#QNAN', '<NA>', 'N/A', 'NA', 'NULL', 'NaN', 'None')
    + ('n/a', 'nan', 'null', '?')
)


def is_missing(cell: Any) -> bool:
    r"""Whether a cell of a table holds no value: :obj:`None`, NaN, a marker of
    pandas or a text that stands for one.
    """
    # pandas.NA doesn't even compare:
    if cell is None or type(cell).__name__ in ('NAType', 'NaTType'):
        return True
    if isinstance(cell, str):
        return cell.strip() in MARKERS
    try:
        return bool(cell != cell)
    except (ArithmeticError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(
            "'table' must hold single values (text, numbers), got a cell of "
            f'type {type(cell).__name__}'
        ) from error


def count_missing(column: Iterable[Any]) -> dict[str, int]:
    r"""What was taken as missing, and how often."""
    markers = (str(cell).strip() for cell in column if is_missing(cell))
    return dict(Counter(markers))


def tell_missing(column: Iterable[Any]) -> str:
    r"""The same in words."""
    counts = count_missing(column)
    markers = ', '.join(f'{n} × {marker!r}' for marker, n in counts.items())
    return f'{sum(counts.values())} missing' + (markers and f': {markers}')
