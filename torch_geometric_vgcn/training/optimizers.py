from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Adam, Optimizer, SparseAdam

# From parameters and a learning rate: a class, or a partial of one.
MakeOptimizer = Callable[..., Optimizer]


def make_optimizers(
    learner: Module,
    sparse: list[Tensor],
    lr: float,
    logit_lr: float,
    weight_decay: float,
    logit_optimizer: MakeOptimizer = Adam,
) -> list[Optimizer]:
    r"""Adam for the network's weights, with weight decay, and for the
    likelihood's parameters, without, and another one for the posterior's
    parameters, without. Where that is Adam, parameters with sparse gradients
    get SparseAdam.
    """
    if not any(p.requires_grad for p in learner.parameters()):
        raise ValueError(
            f"'learner' ({type(learner).__name__}) has no parameter that "
            'requires a gradient, expected at least one to train'
        )
    logits = _parameters_of(learner, 'posterior')
    noise = _parameters_of(learner, 'likelihood')
    ids = {id(parameter) for parameter in logits + noise}
    weights = [p for p in learner.parameters() if id(p) not in ids]
    groups: list[dict[str, Any]] = [
        {'params': weights},
        {'params': noise, 'weight_decay': 0.0},
    ]
    groups = [group for group in groups if group['params']]
    ids = {id(parameter) for parameter in sparse}
    dense = [p for p in logits if id(p) not in ids]
    optimizers: list[Optimizer] = []
    if groups:
        optimizers.append(
            Adam(groups, lr, weight_decay=weight_decay, fused=True)
        )
    if dense:
        optimizers.append(_make(logit_optimizer, dense, logit_lr))
    if sparse:
        is_adam = logit_optimizer is Adam
        make = SparseAdam if is_adam else logit_optimizer
        optimizers.append(_make(make, sparse, logit_lr))
    return optimizers


def _parameters_of(learner: Module, part: str) -> list[Tensor]:
    module = getattr(learner, part, None)
    return [] if module is None else list(module.parameters())


def _make(
    make: MakeOptimizer, parameters: list[Tensor], lr: float
) -> Optimizer:
    extra: dict[str, Any] = {'fused': True} if make is Adam else {}
    optimizer = make(parameters, lr=lr, **extra)
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(
            "'logit_optimizer' must make a torch.optim.Optimizer, got "
            f'{type(optimizer).__name__}'
        )
    return optimizer
