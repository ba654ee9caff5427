import warnings
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.objective.semi_supervised import (
    check_class_share,
)
from torch_geometric_vgcn.objective.term import Term
from torch_geometric_vgcn.objective.training_step import in_training_step
from torch_geometric_vgcn.utils import (
    check_count,
    check_nonnegative,
    check_positive,
)


class Consistency(Term):
    r"""Deprecated: :class:`SemiSupervisedELBO`, the default objective where
    labels are classes, has this as a part of the bound. Use the term with
    other objectives only, until it is removed.

    It encourages a node without a label to have the same class on all sampled
    graphs

    .. math::
        w \min(1, t / t_w) \, \frac{1}{n S} \sum_n \sum_{s=1}^S \sum_c
        -q_{nc} \log p_{nc}^{(s)}, \quad
        q_{nc} \propto \frac{\pi_c}{\bar{q}_c}\, \tilde{q}_{nc}, \quad
        \tilde{q}_{nc} \propto \Big( \frac{1}{S} \sum_s p_{nc}^{(s)}
        \Big)^{1/T},

    where :math:`\mathbf{p}^{(s)}` are the class probabilities of the :math:`n`
    nodes without a label on the :math:`s`-th graph, and the target
    :math:`\mathbf{q}`, which is taken as given, is their sharpened mean, in
    which each class has its share :math:`\pi_c` of all nodes;
    :math:`\bar{\mathbf{q}}` is the mean of :math:`\tilde{\mathbf{q}}` over
    nodes. Without this, frequent classes absorb the others where the graph is
    wrong. The shares are given, or those among the labels, which are right
    only if the labels are a random sample.

    Consistency over random graphs is from the `"Graph Random Neural Networks
    for Semi-Supervised Learning on Graphs" <https://arxiv.org/abs/2005.11079>`_
    paper, the alignment of classes from the `"ReMixMatch"
    <https://arxiv.org/abs/1911.09785>`_ paper.

    Args:
        num_classes (int): The number of classes :math:`C`.
        weight (float, optional): The weight :math:`w`. (default: :obj:`1.0`)
        temperature (float, optional): The temperature :math:`T`, below one to
            sharpen. (default: :obj:`0.5`)
        warmup (int, optional): The number of training steps :math:`t_w`, the
            last of which is the first with the full weight, as first
            predictions are no guide. The steps :math:`t` are counted in
            training mode by their backward passes; to compute the term
            counts neither as a step nor its labels. (default: :obj:`50`)
        class_share (Tensor, optional): How frequent each class is among all
            nodes, of shape :obj:`[C]`, positive, in any unit. If as many
            nodes of each class were labelled, as in Planetoid's public
            splits, count other labels:
            :obj:`data.y[data.val_mask].bincount(minlength=C) + 1`.
            (default: counted among the labels of all training steps, with
            one more label for each class)
    """

    step: Tensor
    count: Tensor
    class_share: Tensor | None

    def __init__(
        self,
        num_classes: int,
        weight: float = 1.0,
        temperature: float = 0.5,
        warmup: int = 50,
        class_share: Tensor | None = None,
    ) -> None:
        super().__init__()
        warnings.warn(
            'Consistency is deprecated: SemiSupervisedELBO, the default '
            'objective where labels are classes, has it as a part of the '
            'bound, so leave it out, or pass objective=SemiSupervisedELBO(kl, '
            'class_share=...)',
            DeprecationWarning,
            stacklevel=2,
        )
        self.num_classes = check_count(num_classes, 'num_classes', least=2)
        self.weight = check_nonnegative(weight, 'weight')
        self.temperature = check_positive(temperature, 'temperature')
        self.warmup = check_count(warmup, 'warmup')
        self.register_buffer('step', torch.zeros(()))
        # Of labels of each class, in all mini-batches so far:
        self.register_buffer('count', torch.zeros(self.num_classes))
        if class_share is not None:
            class_share = check_class_share(class_share, self.num_classes)
        self.register_buffer('class_share', class_share, persistent=False)

    def reset_parameters(self) -> None:
        self.step.zero_()
        self.count.zero_()

    @property
    def settled(self) -> bool:
        return float(self.step) >= self.warmup

    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        if out.size(-1) != self.num_classes:
            raise ValueError(
                f"'out' must have {self.num_classes} columns, the number of "
                f'classes of Consistency, got {out.size(-1)}'
            )
        classes = y[mask]
        new = torch.zeros_like(self.count).index_add_(
            0, classes, torch.ones_like(classes, dtype=self.count.dtype)
        )
        count, share = self.count + new, self._share()
        log_prob = log_softmax(out, dim=-1)
        # All nodes, those with a label at a weight of zero: to select the
        # others, a device would have to be waited for.
        node = log_prob.new_ones(out.size(1), 1)
        node[mask] = 0.0
        node = node / node.sum().clamp(min=1.0)
        prob = log_prob.detach().exp().mean(dim=0)
        given = self.class_share
        target = self._target(
            prob, count + 1 if given is None else given, node
        )
        mean = -(node * target * log_prob).sum(dim=(1, 2)).mean()
        loss = self.weight * share.to(mean) * mean
        if self.training:
            in_training_step(partial(self._count, new), loss)
        return loss

    def _count(self, new: Tensor) -> None:
        r"""Counts a training step and its labels."""
        # Not in place: a compiled step may need them in its backward pass.
        self.step = self.step + 1
        self.count = self.count + new

    def _share(self) -> Tensor:
        r"""The share of its weight that the term has in the step to come, or
        in evaluation mode has had in the last one.
        """
        if self.warmup == 0:
            return torch.ones_like(self.step)
        step = self.step + 1 if self.training else self.step
        return (step / self.warmup).clamp(max=1.0)

    def _target(self, prob: Tensor, wanted: Tensor, node: Tensor) -> Tensor:
        tiny = torch.finfo(prob.dtype).tiny
        log_prob = prob.clamp(min=tiny).log()
        target = (log_prob / max(self.temperature, tiny)).softmax(dim=-1)
        mean = (node * target).sum(dim=0).clamp(min=1e-6)
        target = target * wanted.to(prob) / mean
        return target / target.sum(dim=-1, keepdim=True)

    def extra_repr(self) -> str:
        return (
            f'num_classes={self.num_classes}, weight={self.weight:.3g}, '
            f'temperature={self.temperature:.3g}, warmup={self.warmup}'
        )
