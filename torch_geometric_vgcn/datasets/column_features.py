import re
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.datasets.missing import is_missing, tell_missing

#: From how many rows on a column of successive numbers is suspicious.
MANY = 10
#: A number with commas.
COMMA = re.compile(r'[-+]?\d+(,\d+)+(\.\d+)?')


def column_features(
    name: str,
    column: list[Any],
    standardize: bool,
    fill: bool,
    option: Callable[[str], str],
) -> dict[str, Tensor]:
    r"""The features of a column by their names: one for numbers, otherwise
    one for each category.

    Args:
        name (str): The name of the column.
        column (list): Its cells.
        standardize (bool): Whether numbers get mean zero and variance one.
        fill (bool): Whether cells may be missing.
        option (Callable): How a message calls an argument.
    """
    gap = torch.tensor([is_missing(cell) for cell in column])
    rows = (~gap).nonzero().view(-1).tolist()
    if not rows or (len(rows) < len(column) and not fill):
        raise ValueError(
            f"column '{name}' must have a value in each row, got "
            f'{tell_missing(column)}, the first in row '
            f'{int(gap.nonzero()[0])} (of 0 to {len(column) - 1}): set '
            f'{option("fill")}, or add it to {option("drop")}'
        )
    known = _known(name, column, rows, standardize, option)
    if len(rows) == len(column):
        return known
    out = {}
    for key, value in known.items():
        whole = torch.zeros(len(column), dtype=value.dtype)
        if value.dtype != torch.bool:
            whole += value.mean()
        whole[rows] = value
        out[key] = whole
    return {**out, f'{name} is missing': gap}


def _known(
    name: str,
    column: list[Any],
    rows: list[int],
    standardize: bool,
    option: Callable[[str], str],
) -> dict[str, Tensor]:
    r"""The features of the rows that have a value."""
    cells = [column[row] for row in rows]
    numbers = [as_number(cell) for cell in cells]
    if None not in numbers:
        return {name: _as_feature(name, numbers, standardize, option)}
    texts = [at for at, number in enumerate(numbers) if number is None]
    text = [as_text(cell) for cell in cells]
    if all(COMMA.fullmatch(text[at]) for at in texts):
        raise ValueError(
            f"column '{name}' must hold numbers with a decimal point and "
            f'without separators of thousands, got {text[texts[0]]!r} in row '
            f'{rows[texts[0]]}'
        )
    if 2 * len(texts) < len(cells):
        raise ValueError(
            f"column '{name}' must hold numbers or categories, got both: "
            f'{len(cells) - len(texts)} numbers and {len(texts)} other, the '
            f'first {cells[texts[0]]!r} in row {rows[texts[0]]} (of 0 to '
            f'{len(column) - 1}): correct them, or put a letter before the '
            f'numbers of categories, or add it to {option("drop")}'
        )
    values = sorted(set(text))
    if len(values) == len(text) > 1:
        raise ValueError(
            f"column '{name}' has a different text in each row, expected "
            f'numbers or categories: add it to {option("drop")}'
        )
    return {
        f'{name}={value}': torch.tensor([cell == value for cell in text])
        for value in values
    }


def _as_feature(
    name: str,
    numbers: list[float | None],
    standardize: bool,
    option: Callable[[str], str],
) -> Tensor:
    x = torch.tensor(numbers, dtype=torch.double)
    if x.numel() >= MANY and bool((x.sort().values.diff() == 1).all()):
        warnings.warn(
            f"column '{name}' has each number from {float(x.min()):g} to "
            f'{float(x.max()):g} once: if it numbers the rows, add it to '
            f'{option("drop")}',
            stacklevel=6,
        )
    if standardize and bool(x.isfinite().all()):
        if x.min() == x.max():
            return torch.zeros_like(x)
        x = x / x.abs().max()  # squares must not overflow
        x = (x - x.mean()) / x.std(correction=0)
    if not bool(x.float().isfinite().all()):
        raise ValueError(
            f"column '{name}' must be finite as float32, got infinity or "
            'numbers beyond 3e38'
        )
    return x


def as_number(cell: Any) -> float | None:
    if isinstance(cell, str) and '_' in cell:
        return None  # a notation of numbers in Python code only
    try:
        return float(cell)
    except OverflowError:
        return float('inf')
    except (TypeError, ValueError):
        return None


def as_text(cell: Any) -> str:
    # Whole numbers become floats where some are missing:
    if isinstance(cell, Real) and not isinstance(cell, (bool, int)):
        number = float(cell)
        return str(int(number)) if number.is_integer() else str(cell)
    return str(cell).strip()
