import numpy as np
import torch

from torch_geometric_vgcn.utils import Seeded


def seeded(*numbers: int) -> Seeded:
    r"""Random numbers of their own, seeded by some numbers that tell what
    they are for.
    """
    seed = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return Seeded(int(seed[0]))


def drawn_seed() -> float:
    r"""A seed from the global generator, small enough for a floating-point
    number.
    """
    return float(torch.randint(2**52, ()))
