r"""Checks of single numbers and flags.

NumPy scalars and tensors of one element pass for the numbers that they hold.
"""

from numbers import Integral, Real
from reprlib import repr as short
from typing import Any

import numpy as np
from torch import Tensor

LARGEST = 2**63 - 1  # of int64, in which all counts end


def check_count(
    value: int, name: str, least: int = 0, most: int = LARGEST
) -> int:
    r"""Expects a whole number from :obj:`least` to :obj:`most`."""
    number = _plain(value)
    if not _is_a(number, Integral):
        raise TypeError(f"'{name}' must be an int, got {short(value)}")
    if number < least:
        raise ValueError(f"'{name}' must be at least {least}, got {number}")
    if number > most:
        raise ValueError(f"'{name}' must be at most {most}, got {number}")
    return int(number)


def check_seed(value: int, name: str = 'seed') -> int:
    r"""Expects a seed that :class:`torch.Generator` takes."""
    return check_count(value, name, least=-(2**63), most=2**64 - 1)


def check_number(value: float | Tensor, name: str) -> float:
    r"""Expects a real number, which may be infinite or NaN."""
    number = _plain(value)
    if not _is_a(number, Real):
        raise TypeError(f"'{name}' must be a number, got {short(value)}")
    try:
        return float(number)
    except OverflowError:  # an int beyond all floats
        return float('inf') if number > 0 else -float('inf')


def check_probability(value: float, name: str) -> float:
    r"""Expects a probability strictly inside :math:`(0, 1)`."""
    number = check_number(value, name)
    if not 0.0 < number < 1.0:
        raise ValueError(
            f"'{name}' must lie strictly between 0 and 1, got {value}"
        )
    return number


def check_positive(value: float, name: str) -> float:
    r"""Expects a finite number above zero."""
    number = check_number(value, name)
    if not 0.0 < number < float('inf'):
        raise ValueError(f"'{name}' must be positive and finite, got {value}")
    return number


def check_nonnegative(value: float | Tensor, name: str) -> float:
    r"""Expects a finite number of at least zero."""
    number = check_number(value, name)
    if not 0.0 <= number < float('inf'):
        raise ValueError(
            f"'{name}' must be finite and at least 0, got {value}"
        )
    return number


def check_share(value: float, name: str) -> float:
    r"""Expects a share from zero to one."""
    number = check_number(value, name)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"'{name}' must lie between 0 and 1, got {value}")
    return number


def check_flag(value: bool, name: str) -> bool:
    r"""Expects :obj:`True` or :obj:`False`."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"'{name}' must be a bool, got {short(value)}")
    return bool(value)


def _plain(value: Any) -> Any:
    one = isinstance(value, Tensor) and value.numel() == 1
    return value.item() if one and not value.is_meta else value


def _is_a(number: Any, kind: type) -> bool:
    return isinstance(number, kind) and not isinstance(number, bool)
