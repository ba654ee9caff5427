from collections.abc import Callable
from typing import Any
from weakref import ref

from torch import Tensor


class CheckOnce:
    r"""Checks a tensor the first time that it comes, and again only after it
    was changed: a check reads values back from the device, which no training
    step should wait for.
    """

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[ref[Tensor], int]]] = {}

    def __call__(
        self, name: str, check: Callable[..., None], *values: Tensor
    ) -> None:
        if not all(_is_tracked(value) for value in values):
            check(*values)
            return
        seen = self._seen.get(name, [])
        if len(seen) == len(values) and all(
            tensor() is value and version == value._version
            for (tensor, version), value in zip(seen, values, strict=True)
        ):
            return
        check(*values)
        self._seen[name] = [(ref(value), value._version) for value in values]

    def __getstate__(self) -> dict:
        return {'_seen': {}}


def _is_tracked(value: Any) -> bool:
    r"""Whether changes of a value are counted."""
    return isinstance(value, Tensor) and not value.is_inference()
