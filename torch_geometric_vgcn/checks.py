r"""Deprecated: checks of arguments are in :mod:`torch_geometric_vgcn.utils`,
which is not a part of the public interface.
"""

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith('__'):
        raise AttributeError(name)
    from torch_geometric_vgcn import utils

    value = getattr(utils, name)
    warnings.warn(
        'torch_geometric_vgcn.checks is deprecated and goes with 0.4: copy '
        f"what you need of '{name}', or import it from "
        'torch_geometric_vgcn.utils, which may change',
        DeprecationWarning,
        stacklevel=2,
    )
    return value
