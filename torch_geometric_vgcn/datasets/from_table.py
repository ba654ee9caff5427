import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data


def from_table(
    table: Any,
    label: str,
    drop: Iterable[str] = (),
    standardize: bool = True,
) -> Data:
    r"""Turns a table, with a row for each node, into
    :class:`~torch_geometric.data.Data` without a graph. Put
    :class:`~torch_geometric_vgcn.transforms.KNNGraph` behind it.

    A column of numbers is one feature, any other column one for each of its
    values (one-hot). A blank in the label column means that the label isn't
    known: :obj:`y` is :obj:`-1` there, and :obj:`train_mask` selects the
    others. :obj:`class_names` and :obj:`feature_names` tell what the numbers
    mean.

    Args:
        table (DataFrame, Mapping, str or Path): The table: a
            :class:`pandas.DataFrame`, the columns by name, or the path of a
            CSV file whose first line has the names.
        label (str): The column of labels.
        drop (Iterable[str], optional): Columns to leave out, such as names
            or numbers of the rows. (default: :obj:`()`)
        standardize (bool, optional): Whether to give the columns of numbers
            mean zero and variance one. (default: :obj:`True`)
    """
    columns = _columns(table)
    drop = [drop] if isinstance(drop, str) else list(drop)
    for name, argument in [(label, 'label')] + [(n, 'drop') for n in drop]:
        if name not in columns:
            raise ValueError(
                f"'{argument}' must be one of the columns {list(columns)}, "
                f"got '{name}'"
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
    return Data(
        x=torch.stack(list(features.values()), dim=1).float(),
        y=y,
        train_mask=y >= 0,
        class_names=class_names,
        feature_names=list(features),
    )


def _columns(table: Any) -> dict[str, list[Any]]:
    if isinstance(table, (str, Path)):
        # With or without the mark that Excel puts first:
        with open(table, newline='', encoding='utf-8-sig') as file:
            header, *rows = list(csv.reader(file)) or [[]]
        for line, row in enumerate(rows, start=2):
            if len(row) != len(header):
                raise ValueError(
                    f"'{table}' must have {len(header)} cells in each line, "
                    f'got {len(row)} in line {line}'
                )
        names, cells = header, [list(cell) for cell in zip(*rows, strict=True)]
        cells = cells or [[] for _ in header]
    elif hasattr(table, 'keys'):  # a DataFrame or a mapping
        names = [str(name) for name in table.keys()]
        cells = [list(table[name]) for name in table.keys()]
    else:
        raise TypeError(
            "'table' must be a DataFrame, a mapping from names to columns or "
            f'the path of a CSV file, got {type(table).__name__}'
        )
    if len(set(names)) < len(names):
        raise ValueError(
            f"'table' must name each column differently, got {names}"
        )
    return dict(zip(names, cells, strict=True))


def _labels(column: list[Any], name: str) -> tuple[Tensor, list[str]]:
    known = ['' if _is_blank(cell) else _text(cell) for cell in column]
    names = sorted(set(known) - {''})
    if len(names) < 2:
        raise ValueError(
            f"the label column '{name}' must hold at least two classes, got "
            f'{names} in {len(column)} rows'
        )
    if all(_number(text) is not None for text in names):
        names.sort(key=float)
    index = {text: place for place, text in enumerate(names)}
    return torch.tensor([index.get(text, -1) for text in known]), names


def _features(
    name: str, column: list[Any], standardize: bool
) -> dict[str, Tensor]:
    blank = [row for row, cell in enumerate(column) if _is_blank(cell)]
    if blank:
        raise ValueError(
            f"column '{name}' must have a value in each row, got "
            f'{len(blank)} blank, the first in row {blank[0]} (of 0 to '
            f"{len(column) - 1}): fill them or put it into 'drop'"
        )
    numbers = [_number(cell) for cell in column]
    if None not in numbers:
        x = torch.tensor(numbers, dtype=torch.double)
        if not bool(x.isfinite().all()):
            raise ValueError(f"column '{name}' must be finite, got infinity")
        if standardize:
            std = x.std(correction=0)
            x = (x - x.mean()) / (std if std > 0 else 1)
        return {name: x}
    text = [_text(cell) for cell in column]
    values = sorted(set(text))
    if len(values) == len(text) > 1:
        raise ValueError(
            f"column '{name}' has another text in each row, expected numbers "
            f"or categories: put it into 'drop'"
        )
    return {
        f'{name}={value}': torch.tensor([cell == value for cell in text])
        for value in values
    }


def _is_blank(cell: Any) -> bool:
    # pandas' own blank doesn't even compare:
    if cell is None or type(cell).__name__ in ('NAType', 'NaTType'):
        return True
    if isinstance(cell, str):
        return cell.strip().lower() in ('', 'nan')
    return bool(cell != cell)


def _number(cell: Any) -> float | None:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _text(cell: Any) -> str:
    # Whole numbers become floats where some are blank:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
