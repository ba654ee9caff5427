from collections.abc import Callable

import torch
from torch import Tensor


@torch.compiler.disable
def in_training_step(teach: Callable[[], None], *losses: Tensor) -> None:
    r"""Calls :obj:`teach`, once, when the gradient of one of :obj:`losses` is
    computed: a training step. A loss that is only looked at teaches nothing.
    """
    todo = [teach]

    def hook(grad: Tensor) -> None:
        if todo:
            todo.pop()()

    for loss in losses:
        if loss.requires_grad:
            loss.register_hook(hook)
