from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import SGD, Adam, Optimizer, SparseAdam

from torch_geometric_vgcn.posterior import FreePosterior

#: How far a step moves a free logit per unit of the bound's gradient, and the
#: momentum of these steps.
RATE, MOMENTUM = 0.1, 0.9
# From parameters and a learning rate: a class, or a partial of one.
MakeOptimizer = Callable[..., Optimizer]


def make_optimizers(
    learner: Module,
    sparse: list[Tensor],
    lr: float,
    logit_lr: float | None,
    weight_decay: float,
    logit_optimizer: MakeOptimizer | None = None,
    num_labels: float = 1.0,
) -> list[Optimizer]:
    r"""Adam for the network's weights, with weight decay, and for all other
    parameters but free logits, without.

    Free logits take steps of momentum SGD

    .. math::
        \mathbf{v} \leftarrow 0.9 \, \mathbf{v} + \nabla_{\theta} \mathcal{L},
        \quad \theta \leftarrow \theta + \eta \, \mathbf{v},

    along the gradient of the bound :math:`\mathcal{L}` itself, which is that
    of the loss times the number of labels. The gradient of an edge's logit is
    its evidence, in nats: how much more probable the labels around it are
    with the edge than without, whatever the size of the graph. So the rate
    needs no tuning, while steps of Adam ignore how strong the evidence is.

    Args:
        learner (torch.nn.Module): The learner.
        sparse (List[Tensor]): The parameters with sparse gradients. They get
            steps without momentum, but as large in the end.
        lr (float): The learning rate of Adam.
        logit_lr (float, optional): The rate :math:`\eta`, or the learning
            rate of :obj:`logit_optimizer`.
        weight_decay (float): The L2 penalty on the network's weights.
        logit_optimizer (Callable, optional): Makes another optimiser of all
            parameters of the posterior. Where it is Adam, sparse gradients
            get SparseAdam. (default: :obj:`None`)
        num_labels (float, optional): How many labels the loss is the mean of.
            (default: :obj:`1.0`)
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
    ids = {id(parameter) for parameter in sparse}
    dense = [p for p in logits if id(p) not in ids]
    if logit_optimizer is None:
        free = [
            module.offset
            for module in learner.modules()
            if isinstance(module, FreePosterior)
        ]
        ids = {id(parameter) for parameter in free}
        noise += [p for p in dense if id(p) not in ids]
        dense = [p for p in dense if id(p) in ids]
    groups: list[dict[str, Any]] = [
        {'params': weights},
        {'params': noise, 'weight_decay': 0.0},
    ]
    groups = [group for group in groups if group['params']]
    optimizers: list[Optimizer] = []
    if groups:
        optimizers.append(
            Adam(groups, lr, weight_decay=weight_decay, fused=True)
        )
    if logit_optimizer is None:
        rate = num_labels * (RATE if logit_lr is None else logit_lr)
        if dense:
            optimizers.append(SGD(dense, rate, MOMENTUM))
        if sparse:
            optimizers.append(SGD(sparse, rate / (1 - MOMENTUM)))
        return optimizers
    logit_lr = 0.01 if logit_lr is None else logit_lr
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
