r"""Amounts that are given as a number or as a share."""

from typing import cast

import numpy as np
import torch
from torch import Tensor

from torch_geometric_vgcn.utils import check_count, check_positive


def check_amount(
    value: int | float, name: str, most: float = float('inf')
) -> int | float:
    r"""Expects a number of at least one (:obj:`int`), or a share above zero
    and up to :obj:`most` (:obj:`float`).
    """
    if not _is_float(value):
        return check_count(cast(int, value), name, least=1)
    share = check_positive(value, name)
    if share > most:
        raise ValueError(
            f"'{name}' as a share must be at most {most:g}, got {share}"
        )
    return share


def count_of(value: int | float, total: int, name: str) -> int:
    r"""How many of :obj:`total` an amount is, at least one."""
    if isinstance(value, int):
        return value
    count = round(value * total)
    if count == 0:
        raise ValueError(
            f"'{name}' must amount to at least one of the {total} edges, got "
            f'a share of {value}'
        )
    return count


def _is_float(value: int | float | Tensor) -> bool:
    if isinstance(value, Tensor):
        return torch.is_floating_point(value)
    return isinstance(value, (float, np.floating))
