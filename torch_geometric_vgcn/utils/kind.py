r"""Checks of what kind of object something is."""

import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module


def check_kind(value: Any, kind: type | tuple[type, ...], name: str) -> None:
    r"""Expects an object of a class, or of one of several."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = ' or '.join(k.__name__ for k in kinds)
        raise TypeError(
            f"'{name}' must be a {expected}, got {type(value).__name__}"
        )


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
    r"""Expects a dense tensor of floating-point numbers and of a shape, of
    which sizes with a name may be anything.
    """
    text = str(list(shape)).replace("'", '')
    check_tensor(value, text, name)
    if not value.is_floating_point():
        raise TypeError(f"'{name}' must be floating point, got {value.dtype}")
    if value.dim() != len(shape) or any(
        isinstance(n, int) and n != size
        for n, size in zip(shape, value.shape, strict=True)
    ):
        raise ValueError(
            f"'{name}' must have shape {text}, got {list(value.shape)}"
        )


def check_path(value: str | os.PathLike, name: str) -> Path:
    r"""Expects the path of a file or folder."""
    check_kind(value, (str, os.PathLike), name)
    return Path(value)


def check_callable(value: Any, name: str) -> None:
    r"""Expects something to be called, or :obj:`None`."""
    if value is not None and not callable(value):
        raise TypeError(
            f"'{name}' must be callable, got {type(value).__name__}"
        )


def check_maker(value: Any, name: str) -> None:
    r"""Expects a function that makes something, or :obj:`None`. A module can
    be called, too, but is what was to be made.
    """
    check_callable(value, name)
    if isinstance(value, Module):
        raise TypeError(
            f"'{name}' must be a function that makes one for each member, got "
            f'a {type(value).__name__}'
        )
