from collections.abc import Callable

import torch
from torch import Tensor


@torch.compiler.disable
def in_training_step(loss: Tensor, teach: Callable[[], None]) -> None:
    r"""Calls :obj:`teach` when the gradient of :obj:`loss` is computed: a
    training step. A loss that is only looked at teaches nothing.
    """
    if loss.requires_grad:
        loss.register_hook(lambda grad: teach())
