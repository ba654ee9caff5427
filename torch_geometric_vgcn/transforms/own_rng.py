import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from torch_geometric_vgcn.training.device_rng import (
    get_device_rng,
    set_device_rng,
)


@contextmanager
def own_rng(seed: int, device: torch.device) -> Iterator[None]:
    r"""Seeds all global random numbers inside, and restores their state
    after: for code that draws from them and takes no generator.
    """
    own, numpys = random.getstate(), np.random.get_state()
    devices = get_device_rng(device)
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        try:
            torch.manual_seed(seed)
            np.random.seed(seed % 2**32)
            random.seed(seed)
            yield
        finally:
            random.setstate(own)
            np.random.set_state(numpys)
            if devices is not None:
                set_device_rng(device, devices)
