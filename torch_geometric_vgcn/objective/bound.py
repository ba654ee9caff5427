import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.objective.kl import KL, BernoulliKL, LogisticKL
from torch_geometric_vgcn.objective.likelihood import Likelihood
from torch_geometric_vgcn.sample import GraphSample, Sampler
from torch_geometric_vgcn.utils import (
    NONNEGATIVE,
    Instance,
    check_count,
    check_floats,
    check_kind,
    check_nonnegative,
    checked,
)
from torch_geometric_vgcn.utils.deprecated import former_methods


class Bound(NamedTuple):
    r"""What is maximised, :obj:`bound`, with its parts
    :obj:`log_likelihood` of the labels, :obj:`agreement` of the nodes without
    a label (zero, except for :class:`SemiSupervisedELBO`) and :obj:`kl`, and
    the :obj:`loss` to be minimised

    .. math::
        \mathrm{bound} = \mathrm{log\_likelihood} + \mathrm{agreement} - \beta
        \, \mathrm{kl}, \quad \mathrm{loss} = -\mathrm{bound} /
        |\mathcal{Y}^o|.
    """

    bound: Tensor
    log_likelihood: Tensor
    kl: Tensor
    loss: Tensor
    agreement: Tensor


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

    # Whether labels must be classes:
    needs_classes: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        former_methods(cls, settled='warmup_done')

    @checked(kl=Instance(KL), beta=NONNEGATIVE)
    def __init__(self, kl: KL, beta: float = 1e-2) -> None:
        super().__init__()
        self.kl = kl
        self.beta = beta

    def forward(
        self,
        log_prob: Tensor,
        sample: GraphSample | None,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
    ) -> Bound:
        r"""Estimates the bound.

        Args:
            log_prob (Tensor): The log-likelihoods
                :math:`\log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)})`, of shape
                :obj:`[S, n]`.
            sample (GraphSample): The graphs :math:`\mathbf{A}^{(1:S)}`, or
                :obj:`None` for a graph that is given, from which nothing
                diverges.
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
        if sample is None:
            check_floats(log_prob, ('S', 'n'), 'log_prob')
        else:
            check_kind(sample, GraphSample, 'sample')
            check_floats(log_prob, (len(sample), 'n'), 'log_prob')
        if num_labeled is None:
            num_labeled = log_prob.size(1)
        least = 1 if log_prob.size(1) > 0 else 0
        num_labeled = check_count(num_labeled, 'num_labeled', least)
        # A mini-batch without labels still has its divergence:
        scale = num_labeled / log_prob.size(1) if log_prob.numel() > 0 else 1.0
        if sample is None:
            kl = log_prob.new_zeros(log_prob.size(0))
        elif isinstance(kl_scale, Tensor) and kl_scale.dim() > 0:
            kl = self.kl(sample, kl_scale)
        else:
            kl = check_nonnegative(kl_scale, 'kl_scale') * self.kl(sample)
        bound = self.estimate(log_prob, kl, sample, scale)
        # Whatever the weights of the graphs, the rest is the divergence:
        log_likelihood = bound + self.beta * kl.mean()
        loss = -bound / max(1, num_labeled)
        none = torch.zeros_like(bound)
        return Bound(bound, log_likelihood, kl.mean(), loss, none)

    def of_nodes(
        self,
        likelihood: Likelihood,
        out: Tensor,
        y: Tensor,
        mask: Tensor | None,
        sample: GraphSample | None,
        num_labeled: int | None = None,
        kl_scale: float | Tensor = 1.0,
    ) -> Bound:
        r"""Estimates the bound from a network's outputs for all nodes.

        Args:
            likelihood (Likelihood): The likelihood of the labels.
            out (Tensor): The outputs, of shape :obj:`[S, N, C]`.
            y (Tensor): The labels. Those outside of :obj:`mask` aren't used.
            mask (Tensor, optional): Which nodes are labelled, as a mask or as
                indices; :obj:`None` for all.
            sample (GraphSample): The graphs that :obj:`out` came from, or
                :obj:`None` for a graph that is given.
            num_labeled (int, optional): As in :meth:`forward`.
                (default: :obj:`None`)
            kl_scale (float or Tensor, optional): As in :meth:`forward`.
                (default: :obj:`1.0`)
        """
        if mask is not None:
            out, y = out[:, mask], y[mask]
        log_prob = likelihood.log_prob(out, y)
        return self(log_prob, sample, num_labeled, kl_scale)

    @property
    def warmup_done(self) -> bool:
        r"""Whether the bound has its final form. :func:`fit` chooses its best
        epoch from then on.
        """
        return True

    @property
    def settled(self) -> bool:
        r"""The former name of :attr:`warmup_done`, which goes with 0.4."""
        return self.warmup_done

    def reset_parameters(self) -> None:
        r"""Starts again, if training steps are counted."""

    @abstractmethod
    def estimate(
        self,
        log_prob: Tensor,
        kl: Tensor,
        sample: GraphSample | None,
        scale: float,
    ) -> Tensor:
        r"""The bound from log-likelihoods :obj:`[S, n]`, each standing for
        :obj:`scale` nodes, and divergences :obj:`[S]`.
        """

    def extra_repr(self) -> str:
        return f'beta={self.beta:.3g}'


class ELBO(Objective):
    r"""The evidence lower bound

    .. math::
        \mathcal{L} = \frac{1}{S} \sum_{s=1}^S \left[ \sum_n
        \log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) - \beta\,
        \mathrm{KL}^{(s)} \right].

    It is a lower bound of the log-evidence for :math:`\beta \geq 1`, on
    average over samples, if its divergence is that of the samples:
    :class:`BernoulliKL` for discrete ones, :class:`LogisticKL` for relaxed
    ones. With :math:`\beta < 1` it is tempered, and may exceed it.

    Where samples have no pathwise gradient, the logits get the score-function
    gradient, with the mean of the other samples' log-likelihoods as baseline.
    """

    def estimate(
        self,
        log_prob: Tensor,
        kl: Tensor,
        sample: GraphSample | None,
        scale: float,
    ) -> Tensor:
        likelihood = scale * log_prob.sum(dim=1)
        bound = (likelihood - self.beta * kl).mean()
        # Whose gradient the mean lacks where samples are not pathwise:
        return bound if sample is None else bound + sample.score(likelihood)


class IWELBO(Objective):
    r"""The importance-weighted bound of the paper's appendix

    .. math::
        \mathcal{L} = \sum_n \log \frac{1}{S} \sum_{s=1}^S \exp \left[
        \log p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) -
        \frac{\beta}{|\mathcal{Y}^o|} \log
        \frac{q(\mathbf{A}^{(s)})}{p(\mathbf{A}^{(s)})} \right].

    Its parts are the mean divergence :math:`\overline{\mathrm{KL}}` of the
    graphs, and the log-likelihood in which a graph counts the more, the less
    its own divergence is

    .. math::
        \mathcal{L} + \beta\, \overline{\mathrm{KL}} =
        \sum_n \log \frac{1}{S} \sum_{s=1}^S
        p(y_n \mid \mathbf{X}, \mathbf{A}^{(s)}) \exp \left[
        \frac{\beta}{|\mathcal{Y}^o|} \left( \overline{\mathrm{KL}} -
        \mathrm{KL}^{(s)} \right) \right].

    .. note::
        With one labelled node, or one sample, and :math:`\beta = 1` this is a
        lower bound of the log-evidence, tighter with each sample. With more
        of both it weights the graphs separately for each node, and can exceed
        the log-evidence where the labels of nodes contradict each other; use
        :class:`ELBO` where a bound is needed.
    """

    def estimate(
        self,
        log_prob: Tensor,
        kl: Tensor,
        sample: GraphSample | None,
        scale: float,
    ) -> Tensor:
        if sample is not None and not sample.pathwise:
            raise TypeError(
                'IWELBO needs samples with a pathwise gradient '
                '(BinaryConcrete, StraightThroughBernoulli), got '
                'score-function ones: use ELBO'
            )
        if log_prob.size(1) == 0:
            # Plus nothing, so that the network has a gradient of zero:
            return log_prob.sum() - self.beta * kl.mean()
        num_labeled = scale * log_prob.size(1)
        log_weight = log_prob - (self.beta / num_labeled) * kl.unsqueeze(1)
        log_mean = torch.logsumexp(log_weight, dim=0) - math.log(kl.numel())
        return scale * log_mean.sum()


@checked(sampler=Instance(Sampler))
def default_objective(sampler: Sampler) -> Objective:
    r"""The bound to maximise with graphs from a sampler, if no other is
    given: :obj:`IWELBO(LogisticKL())` for relaxed ones, otherwise
    :obj:`ELBO(BernoulliKL())`.
    """
    return IWELBO(LogisticKL()) if sampler.relaxed else ELBO(BernoulliKL())


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
