from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from torch_geometric_vgcn.datasets.column_features import (
    as_number,
    as_text,
    column_features,
)
from torch_geometric_vgcn.datasets.missing import (
    count_missing,
    is_missing,
    tell_missing,
)
from torch_geometric_vgcn.datasets.read_columns import as_list, read_columns
from torch_geometric_vgcn.utils import check_flag, check_kind


def from_table(
    table: Any,
    label: str,
    drop: Iterable[str] = (),
    standardize: bool = True,
    encoding: str = 'utf-8',
    fill: bool = False,
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
    :obj:`{'kind': {'NA': 3, '?': 1}}`. In a feature column it is refused,
    unless :obj:`fill` is set.

    A CSV file is separated by commas, semicolons, tabs or bars, whichever its
    first line has most of. If not by commas, numbers may have a decimal comma.

    There is no :obj:`val_mask`: for training with :func:`fit`, split the
    labelled nodes by a transform such as
    :class:`~torch_geometric_vgcn.transforms.StratifiedSplit`.

    Args:
        table (DataFrame, Mapping, str or Path): The table: a
            :class:`pandas.DataFrame`, the columns by name, or the path of a
            CSV file whose first line has the names, or of a Parquet file
            (:obj:`pip install 'torch_geometric_vgcn[tables]'`).
        label (str): The column of labels.
        drop (Iterable[str], optional): Columns to leave out, such as names
            or numbers of the rows. (default: :obj:`()`)
        standardize (bool, optional): Whether to give the columns of numbers
            mean zero and variance one. (default: :obj:`True`)
        encoding (str, optional): The encoding of a CSV file, with or without
            a byte-order mark. (default: :obj:`"utf-8"`)
        fill (bool, optional): Whether a missing number becomes the mean of
            its column and a missing category none of the others, with a
            further feature that tells where. (default: :obj:`False`)
    """
    check_flag(standardize, 'standardize')
    check_flag(fill, 'fill')
    check_kind(label, str, 'label')
    columns = read_columns(table, encoding)
    drop = [drop] if isinstance(drop, str) else as_list(drop, "'drop'")
    return from_columns(columns, label, drop, standardize, fill)


def from_columns(
    columns: Mapping[str, list[Any]],
    label: str,
    drop: list[Any],
    standardize: bool,
    fill: bool,
    option: Callable[[str], str] = repr,
) -> Data:
    r"""The same for columns that were read. :obj:`option` tells how a message
    calls an argument.
    """
    for name, argument in [(label, 'label')] + [(n, 'drop') for n in drop]:
        if not isinstance(name, str) or name not in columns:
            raise ValueError(
                f'{option(argument)} must be one of the columns '
                f'{list(columns)}, got {name!r}'
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
            features.update(
                column_features(name, column, standardize, fill, option)
            )
    if not features:
        raise ValueError(
            f"'table' must have a column of features besides '{label}', got "
            f'{list(columns)}'
        )
    # Without 'fill', no feature is missing:
    looked_at = [n for n in columns if n not in drop] if fill else [label]
    counts = {name: count_missing(columns[name]) for name in looked_at}
    return Data(
        x=torch.stack(list(features.values()), dim=1).float(),
        y=y,
        train_mask=y >= 0,
        class_names=class_names,
        feature_names=list(features),
        missing={name: count for name, count in counts.items() if count},
    )


def _labels(column: list[Any], name: str) -> tuple[Tensor, list[str]]:
    known = [None if is_missing(cell) else as_text(cell) for cell in column]
    names = sorted({text for text in known if text is not None})
    if len(names) < 2:
        raise ValueError(
            f"the label column '{name}' must hold at least two classes, got "
            f'{names} in {len(column)} rows ({tell_missing(column)})'
        )
    numbers = {text: as_number(text) for text in names}
    if None not in numbers.values():
        names.sort(key=lambda text: numbers[text] or 0.0)
    index: dict[str | None, int] = {
        text: place for place, text in enumerate(names)
    }
    return torch.tensor([index.get(text, -1) for text in known]), names
