from collections.abc import Iterator

from torch import Tensor

SIZE = 2**16  # pairs: what several such pieces need fits into a core's cache


def pieces(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    r"""Walks through several tensors of one value per pair, of shape
    :obj:`[P]` or :obj:`[S, P]`, piece by piece.
    """
    return zip(*(t.split(SIZE, dim=-1) for t in tensors), strict=True)
