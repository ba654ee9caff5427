from collections.abc import Callable
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
        if any(value.is_inference() for value in values):
            check(*values)  # changes of these aren't counted
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
