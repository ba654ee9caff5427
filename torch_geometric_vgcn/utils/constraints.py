r"""Declared constraints: what the arguments of a class or function may be.

.. code-block:: python

    @checked(temperature=POSITIVE, conv=Instance(Module))
    def __init__(self, conv: Module, temperature: float = 0.5) -> None:
        ...
"""

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as short
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module

Declared = TypeVar('Declared', bound=Callable[..., Any])


class Constraint(ABC):
    r"""What an argument may be."""

    @abstractmethod
    def __call__(self, value: Any, name: str) -> Any:
        r"""Returns the value in its plain form, or raises a
        :class:`TypeError` or :class:`ValueError` that names the argument,
        what came and what was expected.
        """


def _plain(value: Any, name: str, kind: type) -> Any:
    r"""A number of Python, :obj:`int` or :obj:`float`."""
    number: Any = value
    if isinstance(value, Tensor) and value.numel() == 1:
        number = value if value.is_meta else value.item()
    number = number.item() if isinstance(number, np.generic) else number
    wanted = Integral if kind is int else Real
    if isinstance(number, bool) or not isinstance(number, wanted):
        expected = 'an int' if kind is int else 'a number'
        raise TypeError(f"'{name}' must be {expected}, got {short(value)}")
    try:
        return kind(number)
    except OverflowError:  # an int beyond all floats
        return INFINITY if value > 0 else -INFINITY


@dataclass(frozen=True)
class Interval(Constraint):
    r"""Numbers of an interval. NumPy scalars and tensors of one element pass
    for the numbers that they hold.

    Args:
        kind (type): :obj:`int` or :obj:`float`.
        low (float): The lower end.
        high (float): The upper end.
        closed (bool, optional): Whether the ends belong to it.
            (default: :obj:`True`)
    """

    kind: type
    low: float
    high: float
    closed: bool = True

    def __call__(self, value: Any, name: str) -> Any:
        number = _plain(value, name, self.kind)
        inside = (
            self.low <= number <= self.high
            if self.closed
            else self.low < number < self.high
        )
        if not inside:
            expected = self._expected(number)
            raise ValueError(f"'{name}' must {expected}, got {value}")
        return number

    def _expected(self, number: float) -> str:
        if self.kind is int:
            low = number < self.low
            return (
                f'be at least {self.low}' if low else f'be at most {self.high}'
            )
        return NAMED.get(self) or f'lie between {self.low:g} and {self.high:g}'


@dataclass(frozen=True)
class Instance(Constraint):
    r"""An object of one of some classes."""

    kinds: tuple[type, ...]

    def __init__(self, *kinds: type) -> None:
        object.__setattr__(self, 'kinds', kinds)

    def __call__(self, value: Any, name: str) -> Any:
        if not isinstance(value, self.kinds):
            expected = ' or '.join(kind.__name__ for kind in self.kinds)
            raise TypeError(
                f"'{name}' must be a {expected}, got {type(value).__name__}"
            )
        return value


class Flag(Constraint):
    r""":obj:`True` or :obj:`False`."""

    def __call__(self, value: Any, name: str) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"'{name}' must be a bool, got {short(value)}")
        return bool(value)


class Function(Constraint):
    r"""Something to be called."""

    def __call__(self, value: Any, name: str) -> Any:
        if not callable(value):
            raise TypeError(
                f"'{name}' must be callable, got {type(value).__name__}"
            )
        return value


class Maker(Function):
    r"""A function that makes something. A module can be called, too, but is
    what was to be made.
    """

    def __call__(self, value: Any, name: str) -> Any:
        if isinstance(value, Module):
            raise TypeError(
                f"'{name}' must be a function that makes one for each member, "
                f'got a {type(value).__name__}'
            )
        return super().__call__(value, name)


class File(Constraint):
    r"""The path of a file or folder."""

    def __call__(self, value: Any, name: str) -> Path:
        if not isinstance(value, (str, os.PathLike)):
            raise TypeError(
                f"'{name}' must be a str or PathLike, got "
                f'{type(value).__name__}'
            )
        return Path(value)


@dataclass(frozen=True)
class Floats(Constraint):
    r"""A dense tensor of floating-point numbers.

    Args:
        shape (Tuple[int or str]): Its shape, of which sizes with a name may be
            anything. (default: any)
    """

    shape: tuple[int | str, ...]

    def __init__(self, *shape: int | str) -> None:
        object.__setattr__(self, 'shape', shape)

    def __call__(self, value: Any, name: str) -> Tensor:
        text = str(list(self.shape)).replace("'", '')
        check_tensor(value, text, name)
        if not value.is_floating_point():
            raise TypeError(
                f"'{name}' must be floating point, got {value.dtype}"
            )
        if value.dim() != len(self.shape) or any(
            isinstance(n, int) and n != size
            for n, size in zip(self.shape, value.shape, strict=True)
        ):
            raise ValueError(
                f"'{name}' must have shape {text}, got {list(value.shape)}"
            )
        return value


LARGEST = 2**63 - 1  # of int64, in which all counts end


def at_least(low: int) -> Interval:
    r"""Whole numbers from :obj:`low` on."""
    return Interval(int, low, LARGEST)


INFINITY = float('inf')
MOST = np.nextafter(INFINITY, 0)  # finite

COUNT = at_least(0)
SIZE = at_least(1)
SEED = Interval(int, -(2**63), 2**64 - 1)  # what torch.Generator takes
NUMBER = Interval(float, -MOST, MOST)
POSITIVE = Interval(float, 0, INFINITY, closed=False)
NONNEGATIVE = Interval(float, 0, MOST)
PROBABILITY = Interval(float, 0, 1, closed=False)
SHARE = Interval(float, 0, 1)
NAMED = {
    NUMBER: 'be finite',
    POSITIVE: 'be positive and finite',
    NONNEGATIVE: 'be finite and at least 0',
    PROBABILITY: 'lie strictly between 0 and 1',
}
FLAG = Flag()
FUNCTION = Function()


def checked(**constraints: Constraint) -> Callable[[Declared], Declared]:
    r"""Checks the named arguments of a function before it is called, and
    passes them on in their plain form. :obj:`None` is accepted where it is the
    default.
    """

    def decorate(function: Declared) -> Declared:
        signature = inspect.signature(function)
        defaults = {
            name: signature.parameters[name].default for name in constraints
        }

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:  # Python says it better
                return function(*args, **kwargs)
            for name, constraint in constraints.items():
                if name in bound.arguments:
                    value = bound.arguments[name]
                    if value is not None or defaults[name] is not None:
                        bound.arguments[name] = constraint(value, name)
            return function(*bound.args, **bound.kwargs)

        call.__constraints__ = constraints  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def check_tensor(value: Any, shape: str, name: str) -> None:
    r"""Expects a dense tensor; :obj:`shape` is only for the message."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"'{name}' must be a torch.Tensor of shape {shape}, "
            f'got {type(value).__name__}'
        )
    if value.layout != torch.strided:
        raise TypeError(
            f"'{name}' must be a dense torch.Tensor of shape {shape}, "
            f'got {value.layout}'
        )


def check_floats(value: Any, shape: tuple[int | str, ...], name: str) -> None:
    r"""Expects :class:`Floats`."""
    Floats(*shape)(value, name)


def check_kind(value: Any, kind: type | tuple[type, ...], name: str) -> None:
    r"""Expects an :class:`Instance` of a class, or of one of several."""
    Instance(*(kind if isinstance(kind, tuple) else (kind,)))(value, name)


def check_count(
    value: int, name: str, least: int = 0, most: int = LARGEST
) -> int:
    r"""Expects a whole number from :obj:`least` to :obj:`most`."""
    return Interval(int, least, most)(value, name)


def check_seed(value: int, name: str = 'seed') -> int:
    r"""Expects a seed that :class:`torch.Generator` takes."""
    return SEED(value, name)


def check_number(value: Any, name: str) -> float:
    r"""Expects a real number, which may be infinite or NaN."""
    return _plain(value, name, float)


def check_callable(value: Any, name: str) -> None:
    r"""Expects something to be called, or :obj:`None`."""
    if value is not None:
        FUNCTION(value, name)


# As functions of a value and its name:
check_flag = FLAG
check_nonnegative = NONNEGATIVE
check_path = File()
check_positive = POSITIVE
check_probability = PROBABILITY
check_share = SHARE
