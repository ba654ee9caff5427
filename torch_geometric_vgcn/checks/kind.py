from typing import Any


def check_kind(value: Any, kind: type | tuple[type, ...], name: str) -> None:
    r"""Expects an object of a class, or of one of several."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = ' or '.join(k.__name__ for k in kinds)
        raise TypeError(
            f"'{name}' must be a {expected}, got {type(value).__name__}"
        )
