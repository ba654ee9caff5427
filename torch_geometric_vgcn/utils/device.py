from torch import Tensor


def on_host(tensor: Tensor) -> bool:
    r"""Whether values can be looked at without waiting for a device."""
    return tensor.device.type == 'cpu'
