from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.utils import (
    SHARE,
    Interval,
    at_least,
    check_kind,
    checked,
)


class ClassPosterior(Posterior):
    r"""Edges explained by the classes of their nodes: a block model
    :math:`p(\mathbf{A} \mid \mathbf{Y})` as a further term of the logits

    .. math::
        \theta_{ij} = \theta^o_{ij} + \log \left( \hat{\mathbf{p}}_i^{\top}
        \mathbf{B} \, \hat{\mathbf{p}}_j \right),

    where :math:`\hat{\mathbf{p}}_i` are a node's class probabilities, of the
    network or of its label, and :math:`B_{cd}` tells how much more likely than
    by chance an edge between the classes :math:`c` and :math:`d` is. It is
    estimated from what is known so far, as :math:`k` edges of homophily
    :math:`h` and the pairs of the prior, each by its probability
    :math:`q_{ij}`

    .. math::
        B_{cd} = \frac{M_{cd}}{\pi_c \pi_d}, \quad
        \mathbf{M} \propto k \, \mathbf{M}^{(h)} + \sum_{i < j} q_{ij}
        \frac{\hat{\mathbf{p}}_i \hat{\mathbf{p}}_j^{\top} +
        \hat{\mathbf{p}}_j \hat{\mathbf{p}}_i^{\top}}{2}, \quad
        M^{(h)}_{cd} = \pi_c \pi_d \begin{cases} h / \| \boldsymbol{\pi} \|^2
        & c = d \\ (1 - h) / (1 - \| \boldsymbol{\pi} \|^2) & c \neq d,
        \end{cases}

    (in mini-batches, the running mean of their estimates) with the mean
    :math:`\boldsymbol{\pi}` of all :math:`\hat{\mathbf{p}}_i`:
    where edges join nodes of one class, they speak for each other, and where
    they join different classes, they do so, too.

    The class probabilities are a running mean of the network's: each training
    step, which is the backward pass of
    :meth:`VariationalGraphLearner.objective` in training mode, updates them
    and :math:`\mathbf{B}`, and nothing else does. Before the first step, the
    posterior is the prior. They have no gradient.

    Args:
        num_classes (int, optional): The number of classes :math:`C`.
            (default: :obj:`None`, the network's number of outputs)
        homophily (float, optional): The share :math:`h` of edges that connect
            nodes of the same class, before any are seen.
            (default: :obj:`0.9`)
        momentum (float, optional): The weight of the newest class
            probabilities in the running mean. (default: :obj:`0.1`)
        shrinkage (float, optional): How many edges :math:`k` this share
            counts as. Infinity keeps it. (default: :obj:`100`)
    """

    needs_classes: ClassVar[bool] = True

    prob: Tensor
    mixing: Tensor

    @checked(
        num_classes=at_least(2),
        homophily=SHARE,
        momentum=SHARE,
        shrinkage=Interval(float, 0, float('inf')),
    )
    def __init__(
        self,
        num_classes: int | None = None,
        homophily: float = 0.9,
        momentum: float = 0.1,
        shrinkage: float = 100.0,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.homophily = homophily
        self.momentum = momentum
        self.shrinkage = shrinkage

    def initialize_from(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        num_nodes, size = prior.pairs.whole.num_nodes, self.num_classes or 0
        prob = prior.logits.new_full((num_nodes, size), 1 / max(1, size))
        self.register_buffer('prob', prob)
        # Empty until the first training step:
        self.register_buffer('mixing', prob.new_zeros(0, 0))

    def forward(self, prior: Prior, x: Tensor | None = None) -> Tensor:
        self.check_prior(prior)
        return prior.logits + self._term(prior, self.mixing)

    def _term(self, prior: Prior, mixing: Tensor) -> Tensor | float:
        if mixing.numel() == 0:  # no training step so far
            return 0.0
        prob = self._of_nodes(prior)
        ratio = prior.pairs.dot(prob @ mixing, prob)
        return ratio.clamp(min=1e-6).log()

    def check_prior(self, prior: Prior) -> None:
        super().check_prior(prior)
        own, other = self.prob.size(0), prior.pairs.whole.num_nodes
        if own != other:
            raise ValueError(
                f'ClassPosterior knows the classes of {own} nodes, got a '
                f'prior of {other}: use AmortizedPosterior for unseen nodes'
            )

    def _of_nodes(self, prior: Prior) -> Tensor:
        node_id = prior.pairs.node_id
        return self.prob if node_id is None else self.prob[node_id]

    def check_outputs(self, num_outputs: int) -> None:
        own = self.num_classes or self.prob.size(1) or num_outputs
        if num_outputs != own:
            raise ValueError(
                f"'num_classes' of ClassPosterior ({own}) must be the "
                f"network's number of outputs, got {num_outputs}"
            )

    @torch.no_grad()
    def observe(
        self, out: Tensor, y: Tensor, mask: Tensor | None, prior: Prior
    ) -> None:
        size = out.size(-1)
        self.check_outputs(size)
        self.check_prior(prior)
        if self.prob.size(1) == 0:
            self.prob = self.prob.new_full((self.prob.size(0), size), 1 / size)
        old = self._of_nodes(prior)
        new = out.softmax(dim=-1).mean(dim=0).to(old.dtype)
        new = torch.lerp(old, new, self.momentum)
        where = slice(None) if mask is None else mask
        known = torch.eye(size, dtype=new.dtype, device=new.device)
        new[where] = known[y[where]]
        node_id = prior.pairs.node_id
        if node_id is None:
            # Not in place: a compiled step may need it in its backward pass.
            self.prob = new
        else:
            self.prob[node_id] = new
        # After the classes, as other threads may be predicting:
        self.mixing = self._mixing(prior)

    def _mixing(self, prior: Prior) -> Tensor:
        r"""The matrix :math:`\mathbf{B}`, from the pairs of a prior."""
        # Sums over edges, in single precision at least:
        wide = torch.promote_types(self.prob.dtype, torch.float)
        chance = self.prob.to(wide).mean(dim=0)
        expected = torch.outer(chance, chance)
        assumed = mixing_of(chance, self.homophily)
        if self.shrinkage == float('inf'):
            return assumed.to(self.prob)
        old = self.mixing.to(wide) if self.mixing.numel() > 0 else assumed
        prob, pattern = self._of_nodes(prior).to(wide), prior.pairs.pattern
        edge = prior.logits + self._term(prior, old.to(self.prob))
        edge = edge.to(wide).sigmoid().unsqueeze(0)
        near = pattern.product(pattern.entries(edge), prob.unsqueeze(0))[0]
        seen = (prob.t() @ near) / 2
        # The edges of a mini-batch stand for all of them:
        seen = seen * (len(prior.pairs.whole) / max(1, len(prior.pairs)))
        joint = self.shrinkage * expected * assumed + (seen + seen.t()) / 2
        joint = joint / joint.sum().clamp(min=1e-12)
        new = joint / expected.clamp(min=1e-12)
        if prior.pairs.node_id is not None:
            new = torch.lerp(old, new, self.momentum)
        return new.to(self.prob)

    def _load_from_state_dict(
        self, state_dict: Mapping[str, Any], prefix: str, *args: Any
    ) -> None:
        # What is known there may not be known yet here, or no longer:
        prob = state_dict.get(prefix + 'prob')
        mixing = state_dict.get(prefix + 'mixing')
        if self.has_started and prob is not None and mixing is not None:
            nodes, size = self.prob.size(0), prob.shape[-1]
            if self.num_classes is None and prob.shape == (nodes, size):
                self.prob = self.prob.new_zeros(nodes, size)
            if mixing.shape in ((0, 0), (size, size)):
                self.mixing = self.mixing.new_zeros(mixing.shape)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def extra_repr(self) -> str:
        known = self.num_classes is not None
        size = f'num_classes={self.num_classes}, ' if known else ''
        return f'{size}homophily={self.homophily:.3g}'


def mixing_of(share: Tensor, homophily: float) -> Tensor:
    r"""How much more likely than by chance an edge between two classes is, if
    the share :obj:`homophily` of edges joins nodes of the same class and
    :obj:`share` are the classes' shares of nodes.
    """
    chance = (share @ share).clamp(max=1 - 1e-3)
    size = share.numel()
    out = share.new_ones(size, size) * (1 - homophily) / (1 - chance)
    return out.diagonal_scatter((homophily / chance).expand(size))
