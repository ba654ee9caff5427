import torch


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
