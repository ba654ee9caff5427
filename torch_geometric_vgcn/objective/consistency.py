r"""Deprecated: terms beside the bound, which go with 0.4."""

import warnings
from abc import ABC, abstractmethod
from functools import partial

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.functional import log_softmax

from torch_geometric_vgcn.objective.likelihood import check_outputs
from torch_geometric_vgcn.objective.semi_supervised import check_class_share
from torch_geometric_vgcn.objective.training_step import in_training_step
from torch_geometric_vgcn.utils import (
    COUNT,
    NONNEGATIVE,
    POSITIVE,
    Inputs,
    at_least,
    check_kind,
    check_labels,
    checked,
)


class Term(Module, ABC):
    r"""Deprecated, a further term of the loss: what it adds belongs in an
    :class:`Objective`, or in a loop of your own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._inputs = Inputs()

    def reset_parameters(self) -> None:
        r"""Starts again, if the term counts its steps."""

    @property
    def settled(self) -> bool:
        r"""Whether the term has its full weight. :func:`fit` chooses its best
        epoch from then on.
        """
        return True

    def forward(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        r"""The term, a scalar to be minimised.

        Args:
            out (Tensor): The outputs, of shape :obj:`[S, N, C]`, or
                :obj:`[N, C]` for one graph.
            y (Tensor): The classes, of shape :obj:`[N]`. Those outside of
                :obj:`mask` aren't used.
            mask (Tensor): Which nodes are labelled, as a mask or as indices.
                There may be none.
        """
        check_outputs(out)
        if out.dim() > 3:
            raise ValueError(
                "'out' must have shape [N, C] or [S, N, C], got "
                f'{list(out.shape)}'
            )
        check_kind(mask, Tensor, 'mask')
        out = out if out.dim() > 2 else out.unsqueeze(0)
        n, num_classes = out.shape[1:]
        self._inputs.check_labels(
            check_labels, y, mask, n, num_classes, allow_none=True
        )
        return self.loss(out, y, mask)

    @abstractmethod
    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        r"""The term itself, from outputs of shape :obj:`[S, N, C]`."""


class Consistency(Term):
    r"""Deprecated: :class:`SemiSupervisedELBO`, the default objective where
    labels are classes, has this as a part of the bound. Use the term with
    other objectives only, until it is removed.

    It is :math:`w \min(1, t / t_w)` times the mean cross-entropy of the class
    probabilities of nodes without a label, on each sampled graph, to their
    mean over graphs, sharpened by :math:`1/T` and multiplied so that each
    class has its share of all nodes.

    Args:
        num_classes (int): The number of classes :math:`C`.
        weight (float, optional): The weight :math:`w`. (default: :obj:`1.0`)
        temperature (float, optional): The temperature :math:`T`.
            (default: :obj:`0.5`)
        warmup (int, optional): The number of training steps :math:`t_w`.
            (default: :obj:`50`)
        class_share (Tensor, optional): As in :class:`SemiSupervisedELBO`.
            (default: :obj:`None`)
    """

    step: Tensor
    count: Tensor
    class_share: Tensor | None

    @checked(
        num_classes=at_least(2),
        weight=NONNEGATIVE,
        temperature=POSITIVE,
        warmup=COUNT,
    )
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
            stacklevel=3,
        )
        self.num_classes = num_classes
        self.weight = weight
        self.temperature = temperature
        self.warmup = warmup
        self.register_buffer('step', torch.zeros(()))
        # Of labels of each class, in all mini-batches so far:
        self.register_buffer('count', torch.zeros(num_classes))
        if class_share is not None:
            class_share = check_class_share(class_share, num_classes)
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
