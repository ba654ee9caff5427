r"""Former names, which work until 0.4 and warn."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def warn(former: str, now: str, stacklevel: int = 2) -> None:
    r"""Warns that something has another name now."""
    warnings.warn(
        f'{former} is deprecated and goes with 0.4: use {now}',
        DeprecationWarning,
        stacklevel=stacklevel + 1,
    )


def former_methods(cls: type, **names: str) -> None:
    r"""Takes methods that a user's class defines under their former names as
    those under the present ones.
    """
    for former, now in names.items():
        own = vars(cls)
        if former in own and now not in own:
            warn(f'{cls.__name__}.{former}', f"the name '{now}'", 3)
            setattr(cls, now, own[former])


def former_names(
    module: str, names: Mapping[str, tuple[str, str]], stacklevel: int = 2
) -> Callable[[str], Any]:
    r"""The :obj:`__getattr__` of a module for names that have moved: to which
    module each, and how it is called there.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{module}' has no '{name}'")
        where, now = names[name]
        warn(f'{module}.{name}', f'{where}.{now}', stacklevel)
        return getattr(import_module(where), now)

    return get
