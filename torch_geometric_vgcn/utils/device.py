r"""What a device can do: how precisely, how much at once, and whether values
can be looked at.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

SIZE = 2**16  # pairs: what several such pieces need fits into a core's cache


def on_host(tensor: Tensor) -> bool:
    r"""Whether values can be looked at without waiting for a device."""
    return tensor.device.type == 'cpu'


def wide(device: torch.device) -> torch.dtype:
    r"""The most precise floating-point type that :obj:`device` has."""
    return torch.float if device.type == 'mps' else torch.double


def floor(dtype: torch.dtype) -> float:
    r"""The sum of weights below which a node counts as one without edges.

    Up to the third power of its inverse square root, which is the gradient of
    a degree normalisation, nothing overflows.
    """
    if dtype == torch.half:  # which has too few exponents for the root
        return 2.0**-10
    return torch.finfo(dtype).tiny ** 0.5


def pieces(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    r"""Walks through several tensors of one value per pair, of shape
    :obj:`[P]` or :obj:`[S, P]`, piece by piece.
    """
    return zip(*(t.split(SIZE, dim=-1) for t in tensors), strict=True)
