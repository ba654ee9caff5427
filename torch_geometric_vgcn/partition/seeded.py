from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def seeded(*numbers: int) -> Iterator[None]:
    r"""Seeds PyTorch's random numbers inside by some numbers that tell what
    they are for, and restores the generators after.
    """
    seed = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        torch.manual_seed(int(seed[0]))
        yield


def drawn_seed() -> float:
    r"""A seed from the global generator, small enough for a floating-point
    number.
    """
    return float(torch.randint(2**52, ()))
