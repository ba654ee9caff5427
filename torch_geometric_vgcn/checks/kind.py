r"""Checks of what kind of object something is."""

import os
from pathlib import Path
from typing import Any


def check_kind(value: Any, kind: type | tuple[type, ...], name: str) -> None:
    r"""Expects an object of a class, or of one of several."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = ' or '.join(k.__name__ for k in kinds)
        raise TypeError(
            f"'{name}' must be a {expected}, got {type(value).__name__}"
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
