from collections.abc import Iterable
from numbers import Real
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.checks import check_flag, check_kind
from torch_geometric_vgcn.datasets.missing import count_missing, is_missing
from torch_geometric_vgcn.datasets.read_columns import as_list, read_columns


def from_table(
    table: Any,
    label: str,
    drop: Iterable[str] = (),
    standardize: bool = True,
    encoding: str = 'utf-8',
) -> Data:
    r"""Turns a table, with one row per node, into
    :class:`~torch_geometric.data.Data` without a graph, which
    :class:`~torch_geometric_vgcn.transforms.KNNGraph` adds.

    A column of numbers is one feature, any other column one feature per
    distinct value (one-hot). :obj:`class_names` and :obj:`feature_names` tell
    what the numbers mean.

    Missing is what :func:`pandas.read_csv` takes for it (an empty cell,
    :obj:`NA`, :obj:`N/A`, :obj:`NULL`, :obj:`NaN`, :obj:`None`, ...), the
    :obj:`?` of the UCI data sets, and :obj:`None`, NaN, NaT and
    :obj:`pandas.NA`; surrounding spaces don't matter. In the label column it
    means that the label isn't known: :obj:`y` is :obj:`-1` there,
    :obj:`train_mask` selects all other nodes, and :obj:`missing` tells what
    was taken as missing and how often, such as
    :obj:`{'kind': {'NA': 3, '?': 1}}`. In a feature column it is refused.

    There is no :obj:`val_mask`: for training with :func:`fit`, split the
    labelled nodes by a transform such as
    :class:`~torch_geometric_vgcn.transforms.StratifiedSplit`.

    Args:
        table (DataFrame, Mapping, str or Path): The table: a
            :class:`pandas.DataFrame`, the columns by name, or the path of a
            CSV file whose first line has the names, or of a Parquet file
            (:obj:`pip install 'torch_geometric_vgcn[parquet]'`).
        label (str): The column of labels.
        drop (Iterable[str], optional): Columns to leave out, such as names
            or numbers of the rows. (default: :obj:`()`)
        standardize (bool, optional): Whether to give the columns of numbers
            mean zero and variance one. (default: :obj:`True`)
        encoding (str, optional): The encoding of a CSV file, with or without
            a byte-order mark. (default: :obj:`"utf-8"`)
    """
    check_flag(standardize, 'standardize')
    check_kind(label, str, 'label')
    columns = read_columns(table, encoding)
    drop = [drop] if isinstance(drop, str) else as_list(drop, "'drop'")
    for name, argument in [(label, 'label')] + [(n, 'drop') for n in drop]:
        if not isinstance(name, str) or name not in columns:
            raise ValueError(
                f"'{argument}' must be one of the columns {list(columns)}, "
                f'got {name!r}'
            )
    sizes = {len(column) for column in columns.values()}
    if len(sizes) > 1 or sizes == {0}:
        raise ValueError(
            "'table' must have equally many rows in each column, at least "
            f'one, got {sorted(sizes)}'
        )
    y, class_names = _labels(columns[label], label)
    features: dict[str, Tensor] = {}
    for name, column in columns.items():
        if name != label and name not in drop:
            features.update(_features(name, column, standardize))
    if not features:
        raise ValueError(
            f"'table' must have a column of features besides '{label}', got "
            f'{list(columns)}'
        )
    missing = count_missing(columns[label])
    return Data(
        x=torch.stack(list(features.values()), dim=1).float(),
        y=y,
        train_mask=y >= 0,
        class_names=class_names,
        feature_names=list(features),
        missing={label: missing} if missing else {},
    )


def _labels(column: list[Any], name: str) -> tuple[Tensor, list[str]]:
    known = [None if is_missing(cell) else _text(cell) for cell in column]
    names = sorted({text for text in known if text is not None})
    if len(names) < 2:
        raise ValueError(
            f"the label column '{name}' must hold at least two classes, got "
            f'{names} in {len(column)} rows ({_tell(column)})'
        )
    numbers = {text: _number(text) for text in names}
    if None not in numbers.values():
        names.sort(key=lambda text: numbers[text] or 0.0)
    index: dict[str | None, int] = {
        text: place for place, text in enumerate(names)
    }
    return torch.tensor([index.get(text, -1) for text in known]), names


def _features(
    name: str, column: list[Any], standardize: bool
) -> dict[str, Tensor]:
    missing = [row for row, cell in enumerate(column) if is_missing(cell)]
    if missing:
        raise ValueError(
            f"column '{name}' must have a value in each row, got "
            f'{_tell(column)}, the first in row {missing[0]} (of 0 to '
            f"{len(column) - 1}): fill them or add it to 'drop'"
        )
    numbers = [_number(cell) for cell in column]
    if None not in numbers:
        return {name: _as_feature(name, numbers, standardize)}
    texts = [row for row, number in enumerate(numbers) if number is None]
    if 2 * len(texts) < len(column):
        raise ValueError(
            f"column '{name}' must hold numbers or categories, got both: "
            f'{len(column) - len(texts)} numbers and {len(texts)} other, the '
            f'first {column[texts[0]]!r} in row {texts[0]} (of 0 to '
            f'{len(column) - 1}): correct them, or put a letter before the '
            "numbers of categories, or add it to 'drop'"
        )
    text = [_text(cell) for cell in column]
    values = sorted(set(text))
    if len(values) == len(text) > 1:
        raise ValueError(
            f"column '{name}' has a different text in each row, expected "
            f"numbers or categories: add it to 'drop'"
        )
    return {
        f'{name}={value}': torch.tensor([cell == value for cell in text])
        for value in values
    }


def _as_feature(
    name: str, numbers: list[float | None], standardize: bool
) -> Tensor:
    x = torch.tensor(numbers, dtype=torch.double)
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


def _number(cell: Any) -> float | None:
    if isinstance(cell, str) and '_' in cell:
        return None  # a notation of numbers in Python code only
    try:
        return float(cell)
    except OverflowError:
        return float('inf')
    except (TypeError, ValueError):
        return None


def _text(cell: Any) -> str:
    # Whole numbers become floats where some are missing:
    if isinstance(cell, Real) and not isinstance(cell, (bool, int)):
        number = float(cell)
        return str(int(number)) if number.is_integer() else str(cell)
    return str(cell).strip()


def _tell(column: list[Any]) -> str:
    counts = count_missing(column)
    markers = ', '.join(f'{n} × {marker!r}' for marker, n in counts.items())
    return f'{sum(counts.values())} missing' + (markers and f': {markers}')
