r"""Deprecated: terms beside the bound, which go with 0.4."""

from abc import ABC, abstractmethod

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.objective.bound import Objective
from torch_geometric_vgcn.objective.categorical import Categorical
from torch_geometric_vgcn.objective.kl import BernoulliKL
from torch_geometric_vgcn.objective.likelihood import check_outputs
from torch_geometric_vgcn.objective.semi_supervised import SemiSupervisedELBO
from torch_geometric_vgcn.utils import (
    Inputs,
    at_least,
    check_kind,
    check_labels,
    checked,
)
from torch_geometric_vgcn.utils.deprecated import warn


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
        r"""The term, a scalar to be minimised, from outputs of shape
        :obj:`[S, N, C]` or :obj:`[N, C]`, all classes, and which of them may
        be used.
        """
        check_outputs(out)
        check_kind(mask, Tensor, 'mask')
        n, num_classes = out.shape[-2:]
        self._inputs.check_labels(
            check_labels, y, mask, n, num_classes, allow_none=True
        )
        return self.loss(out.view(-1, n, num_classes), y, mask)

    @abstractmethod
    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        r"""The term itself, from outputs of shape :obj:`[S, N, C]`."""


class Consistency(Term):
    r"""Deprecated: the agreement of :class:`SemiSupervisedELBO`, for each
    labelled node. :func:`fit` maximises that bound instead of the learner's
    objective.

    Args:
        num_classes (int): The number of classes :math:`C`.
        weight (float, optional): As in :class:`SemiSupervisedELBO`, and so
            are all others. (default: :obj:`1.0`)
        temperature (float, optional): (default: :obj:`0.5`)
        warmup (int, optional): (default: :obj:`50`)
        class_share (Tensor, optional): (default: :obj:`None`)
    """

    @checked(num_classes=at_least(2))
    def __init__(
        self,
        num_classes: int,
        weight: float = 1.0,
        temperature: float = 0.5,
        warmup: int = 50,
        class_share: Tensor | None = None,
    ) -> None:
        super().__init__()
        warn('Consistency', 'SemiSupervisedELBO, the default objective', 3)
        self.num_classes = num_classes
        self.likelihood = Categorical()
        self.objective = SemiSupervisedELBO(
            BernoulliKL(), 0.0, weight, temperature, warmup, class_share
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        self.objective.reset_parameters()
        labels = self.objective.labels
        self.objective.labels = labels.new_zeros(self.num_classes)

    @property
    def settled(self) -> bool:
        return int(self.objective.step) >= self.objective.warmup

    def loss(self, out: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        bound = self.objective.of_nodes(self.likelihood, out, y, mask, None)
        return -bound.agreement / max(1, y[mask].numel())

    def in_place_of(self, objective: Objective) -> SemiSupervisedELBO:
        r"""The bound that :func:`fit` maximises, from its first step on."""
        self.reset_parameters()
        self.eval()
        bound = self.objective.train(objective.training)
        bound.kl, bound.beta = objective.kl, objective.beta
        return bound
