r"""The state of a device's own random number generator."""

import torch
from torch import Tensor


def get_device_rng(device: torch.device) -> Tensor | None:
    r"""The state, or :obj:`None` for the CPU, whose generator is PyTorch's
    default one.
    """
    if device.type == 'cpu':
        return None
    if device.type == 'mps':
        return torch.mps.get_rng_state()
    return getattr(torch, device.type).get_rng_state(device)


def set_device_rng(device: torch.device, state: Tensor) -> None:
    r"""Restores the state, if the device has a generator of its own."""
    if device.type == 'mps':
        torch.mps.set_rng_state(state)
    elif device.type != 'cpu':
        getattr(torch, device.type).set_rng_state(state, device)
