from collections.abc import Callable
from enum import Enum
from typing import Any

from torch import Tensor

# Further arguments of a conv, given the edges that it is called with.
Attributes = Callable[[Tensor], dict[str, Any]]


def no_attributes(edge_index: Tensor) -> dict[str, Any]:
    r"""The attributes of a graph whose edges have none."""
    return {}


class Way(Enum):
    r"""How a graph gets into a conv."""

    DENSE = 'dense adjacency'
    KEPT = 'kept edges'
    MATRIX = 'matrix'
    WEIGHTS = 'edge weights'
    ARGUMENT = 'edge_weight argument'

    @property
    def deletes(self) -> bool:
        r"""Whether edges are really deleted: there is nothing to compare."""
        return self in (Way.DENSE, Way.KEPT)
