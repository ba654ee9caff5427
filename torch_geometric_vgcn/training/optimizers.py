import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer


def make_optimizers(
    learner: Module,
    sparse: list[Tensor],
    lr: float,
    logit_lr: float,
    weight_decay: float,
) -> list[Optimizer]:
    r"""Adam for the network's weights, with weight decay, and for the
    posterior's parameters, without; SparseAdam for those of them with sparse
    gradients.
    """
    if not any(p.requires_grad for p in learner.parameters()):
        raise ValueError(
            f"'learner' ({type(learner).__name__}) has no parameter that "
            'requires a gradient, expected at least one to train'
        )
    posterior = getattr(learner, 'posterior', None)
    logits = [] if posterior is None else list(posterior.parameters())
    ids = {id(parameter) for parameter in logits}
    weights = [p for p in learner.parameters() if id(p) not in ids]
    ids = {id(parameter) for parameter in sparse}
    dense = [p for p in logits if id(p) not in ids]
    groups = [
        {'params': weights, 'lr': lr, 'weight_decay': weight_decay},
        {'params': dense, 'lr': logit_lr},
    ]
    optimizers: list[Optimizer] = [torch.optim.Adam(groups, fused=True)]
    if sparse:
        optimizers.append(torch.optim.SparseAdam(sparse, lr=logit_lr))
    return optimizers
