from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import SGD, Adam, Optimizer, SparseAdam

from torch_geometric_vgcn.posterior import FreePosterior
from torch_geometric_vgcn.utils.constraints import (
    NONNEGATIVE,
    POSITIVE,
    Instance,
    Maker,
    checked,
)

#: How far a step moves a free logit per unit of the bound's gradient, and the
#: momentum of these steps.
RATE, MOMENTUM = 0.1, 0.9
# From parameters and a learning rate: a class, or a partial of one.
MakeOptimizer = Callable[..., Optimizer]
# What the settings may be:
RATES = {
    'lr': POSITIVE,
    'logit_lr': POSITIVE,
    'weight_decay': NONNEGATIVE,
    'logit_optimizer': Maker(),
}


@checked(learner=Instance(Module), num_labels=POSITIVE, **RATES)
def optimizers(
    learner: Module,
    num_labels: float,
    lr: float = 0.01,
    logit_lr: float | None = None,
    weight_decay: float = 5e-4,
    logit_optimizer: MakeOptimizer | None = None,
    sparse: list[Tensor] | None = None,
) -> list[Optimizer]:
    r"""What :func:`fit` trains a learner with: Adam for the network's weights,
    with weight decay, and for all other parameters but free logits, without.

    Free logits take steps of momentum SGD

    .. math::
        \mathbf{v} \leftarrow 0.9 \, \mathbf{v} + \nabla_{\theta} \mathcal{L},
        \quad \theta \leftarrow \theta + \eta \, \mathbf{v},

    along the gradient of the bound :math:`\mathcal{L}` itself, which is that
    of the loss times the number of labels. The gradient of an edge's logit is
    its evidence, in nats: how much more probable the labels around it are
    with the edge than without, whatever the size of the graph. So the rate
    needs no tuning, while steps of Adam ignore how strong the evidence is.

    .. code-block:: python

        steps = optimizers(learner, num_labels=int(data.train_mask.sum()))
        for epoch in range(200):
            learner.zero_grad()
            out = learner(data.x, num_samples=3)
            learner.objective(out, data.y, data.train_mask).loss.backward()
            for optimizer in steps:
                optimizer.step()

    Args:
        learner (torch.nn.Module): The learner, or a model with one inside. A
            network with lazy layers must have been called.
        num_labels (float): How many labels the loss is the mean of.
        lr (float, optional): The learning rate of Adam. (default:
            :obj:`0.01`)
        logit_lr (float, optional): The rate :math:`\eta`, or the learning
            rate of :obj:`logit_optimizer`. (default: :obj:`0.1`, with a
            :obj:`logit_optimizer` :obj:`0.01`)
        weight_decay (float, optional): The L2 penalty on the network's
            weights. (default: :obj:`5e-4`)
        logit_optimizer (Callable, optional): Makes another optimiser of all
            parameters of the posterior. Where it is Adam, sparse gradients
            get SparseAdam. (default: :obj:`None`)
        sparse (List[Tensor], optional): The parameters with sparse gradients.
            They get steps without momentum, but as large in the end.
            (default: those of :obj:`FreePosterior(sparse=True)`)
    """
    if not any(p.requires_grad for p in learner.parameters()):
        raise ValueError(
            f"'learner' ({type(learner).__name__}) has no parameter that "
            'requires a gradient, expected at least one to train'
        )
    free = [m for m in learner.modules() if isinstance(m, FreePosterior)]
    if sparse is None:
        sparse = [module.offset for module in free if module.sparse]
    logits = _parameters_of(learner, 'posterior')
    noise = _parameters_of(learner, 'likelihood')
    ids = {id(parameter) for parameter in logits + noise}
    weights = [p for p in learner.parameters() if id(p) not in ids]
    ids = {id(parameter) for parameter in sparse}
    dense = [p for p in logits if id(p) not in ids]
    if logit_optimizer is None:
        ids = {id(module.offset) for module in free}
        noise += [p for p in dense if id(p) not in ids]
        dense = [p for p in dense if id(p) in ids]
    groups: list[dict[str, Any]] = [
        {'params': weights},
        {'params': noise, 'weight_decay': 0.0},
    ]
    groups = [group for group in groups if group['params']]
    out: list[Optimizer] = []
    if groups:
        out.append(Adam(groups, lr, weight_decay=weight_decay, fused=True))
    if logit_optimizer is None:
        rate = num_labels * (RATE if logit_lr is None else logit_lr)
        if dense:
            out.append(SGD(dense, rate, MOMENTUM))
        if sparse:
            out.append(SGD(sparse, rate / (1 - MOMENTUM)))
        return out
    logit_lr = 0.01 if logit_lr is None else logit_lr
    if dense:
        out.append(_make(logit_optimizer, dense, logit_lr))
    if sparse:
        is_adam = logit_optimizer is Adam
        make = SparseAdam if is_adam else logit_optimizer
        out.append(_make(make, sparse, logit_lr))
    return out


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
