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
from torch import Tensor
from torch.nn import Module

Function = TypeVar('Function', bound=Callable[..., Any])


class Constraint(ABC):
    r"""What an argument may be."""

    @abstractmethod
    def __call__(self, value: Any, name: str) -> Any:
        r"""Returns the value in its plain form, or raises a
        :class:`TypeError` or :class:`ValueError` that names the argument,
        what came and what was expected.
        """


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
        number = value
        if isinstance(value, Tensor) and value.numel() == 1:
            number = value if value.is_meta else value.item()
        number = number.item() if isinstance(number, np.generic) else number
        abstract = Integral if self.kind is int else Real
        if not isinstance(number, abstract) or isinstance(number, bool):
            expected = 'an int' if self.kind is int else 'a number'
            raise TypeError(f"'{name}' must be {expected}, got {short(value)}")
        if self.kind is float:
            try:
                number = float(number)
            except OverflowError:  # an int beyond all floats
                number = float('inf') if number > 0 else -float('inf')
        inside = (
            self.low <= number <= self.high
            if self.closed
            else self.low < number < self.high
        )
        if not inside:
            expected = self._expected(number)
            raise ValueError(f"'{name}' must be {expected}, got {value}")
        return self.kind(number)

    def _expected(self, number: float) -> str:
        if self.kind is int:
            low = number < self.low
            return f'at least {self.low}' if low else f'at most {self.high}'
        return NAMED.get(self) or f'between {self.low:g} and {self.high:g}'


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


class Maker(Constraint):
    r"""A function that makes something. A module can be called, too, but is
    what was to be made.
    """

    def __call__(self, value: Any, name: str) -> Any:
        if not callable(value) or isinstance(value, Module):
            raise TypeError(
                f"'{name}' must be a function, got a {type(value).__name__}"
            )
        return value


class File(Constraint):
    r"""The path of a file or folder."""

    def __call__(self, value: Any, name: str) -> Path:
        if not isinstance(value, (str, os.PathLike)):
            raise TypeError(
                f"'{name}' must be a str or PathLike, got "
                f'{type(value).__name__}'
            )
        return Path(value)


LARGEST = 2**63 - 1  # of int64, in which all counts end
INFINITY = float('inf')
MOST = np.nextafter(INFINITY, 0)  # finite

COUNT = Interval(int, 0, LARGEST)
SIZE = Interval(int, 1, LARGEST)
SEED = Interval(int, -(2**63), 2**64 - 1)  # what torch.Generator takes
NUMBER = Interval(float, -MOST, MOST)
POSITIVE = Interval(float, 0, INFINITY, closed=False)
NONNEGATIVE = Interval(float, 0, MOST)
PROBABILITY = Interval(float, 0, 1, closed=False)
SHARE = Interval(float, 0, 1)
NAMED = {
    NUMBER: 'finite',
    POSITIVE: 'positive and finite',
    NONNEGATIVE: 'finite and at least 0',
    PROBABILITY: 'strictly between 0 and 1',
}


def checked(**constraints: Constraint) -> Callable[[Function], Function]:
    r"""Checks the named arguments of a function before it is called, and
    passes them on in their plain form. :obj:`None` is accepted where it is the
    default.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        defaults = {
            name: signature.parameters[name].default for name in constraints
        }

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            for name, constraint in constraints.items():
                if name in bound.arguments:
                    value = bound.arguments[name]
                    if value is not None or defaults[name] is not None:
                        bound.arguments[name] = constraint(value, name)
            return function(*bound.args, **bound.kwargs)

        call.__constraints__ = constraints  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate
