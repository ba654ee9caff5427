from abc import ABC, abstractmethod
from typing import NamedTuple

from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.checks import (
    check_count,
    check_floats,
    check_kind,
    check_nonnegative,
)
from torch_geometric_vgcn.objective.kl import KL
from torch_geometric_vgcn.sample import GraphSample


class Bound(NamedTuple):
    r"""What is maximised, :obj:`bound`, with its parts
    :obj:`log_likelihood` and :obj:`kl`, and the :obj:`loss` to be minimised

    .. math::
        \mathrm{bound} = \mathrm{log\_likelihood} - \beta \, \mathrm{kl},
        \quad \mathrm{loss} = -\mathrm{bound} / |\mathcal{Y}^o|.
    """

    bound: Tensor
    log_likelihood: Tensor
    kl: Tensor
    loss: Tensor


class Objective(Module, ABC):
    r"""What is to be maximised: a lower bound of the log-evidence, or a
    tempered one.

    Args:
        kl (KL): How the divergence from the prior is measured.
        beta (float, optional): The factor :math:`\beta` on the divergence.
            From :obj:`1` on, :class:`ELBO` is a lower bound of the
            log-evidence, the tightest at :obj:`1`. Smaller values, as in the
            paper, temper: the prior counts less, and there is no bound.
            (default: :obj:`0.01`)
    """

    def __init__(self, kl: KL, beta: float = 1e-2) -> None:
        super().__init__()
        check_kind(kl, KL, 'kl')
        self.kl = kl
        self.beta = check_nonnegative(beta, 'beta')

    def forward(
        self,
        log_prob: Tensor,
        sample: GraphSample,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
    ) -> Bound:
        r"""Estimates the bound.

        Args:
            log_prob (Tensor): The log-likelihoods
                :math:`\log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)})`, of shape
                :obj:`[S, n]`.
            sample (GraphSample): The graphs :math:`\mathbf{A}^{(1:S)}`.
            num_labeled (int, optional): The number :math:`|\mathcal{Y}^o|` of
                labelled nodes, if :obj:`log_prob` holds only a mini-batch of
                them. (default: :obj:`None`, all)
            kl_scale (float or Tensor, optional): How many pairs each of the
                sample's stands for, if it holds only a mini-batch of them:
                one number, or one per pair, of shape :obj:`[P]`.
                (default: :obj:`1.0`)

        Returns:
            The bound (of all labelled nodes and pairs), its parts, which add
            up to it, and the loss: minus the bound for each labelled node.
        """
        check_kind(sample, GraphSample, 'sample')
        check_floats(log_prob, (len(sample), 'n'), 'log_prob')
        if num_labeled is None:
            num_labeled = log_prob.size(1)
        least = 1 if log_prob.size(1) > 0 else 0
        num_labeled = check_count(num_labeled, 'num_labeled', least)
        # A mini-batch without labels still has its divergence:
        scale = num_labeled / log_prob.size(1) if log_prob.numel() > 0 else 1.0
        if isinstance(kl_scale, Tensor) and kl_scale.dim() > 0:
            kl = self.kl(sample, kl_scale)
        else:
            kl = check_nonnegative(kl_scale, 'kl_scale') * self.kl(sample)
        bound = self.estimate(log_prob, kl, sample, scale)
        # Whatever the weights of the graphs, the rest is the divergence:
        log_likelihood = bound + self.beta * kl.mean()
        loss = -bound / max(1, num_labeled)
        return Bound(bound, log_likelihood, kl.mean(), loss)

    @abstractmethod
    def estimate(
        self, log_prob: Tensor, kl: Tensor, sample: GraphSample, scale: float
    ) -> Tensor:
        r"""The bound from log-likelihoods :obj:`[S, n]`, each standing for
        :obj:`scale` nodes, and divergences :obj:`[S]`.
        """

    def extra_repr(self) -> str:
        return f'beta={self.beta:.3g}'
