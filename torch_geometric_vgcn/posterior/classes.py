from typing import ClassVar

import torch
from torch import Tensor

from torch_geometric_vgcn.checks import check_count, check_kind, check_share
from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior


class ClassPosterior(Posterior):
    r"""Edges explained by the classes of their nodes: a block model
    :math:`p(\mathbf{A} \mid \mathbf{Y})` as a further term of the logits

    .. math::
        \theta_{ij} = \theta^o_{ij} + \log \left[ h \frac{a_{ij}}{c} +
        (1 - h) \frac{1 - a_{ij}}{1 - c} \right], \quad
        a_{ij} = \hat{\mathbf{p}}_i^{\top} \hat{\mathbf{p}}_j, \quad
        c = \| \bar{\mathbf{p}} \|^2,

    where :math:`\hat{\mathbf{p}}_i` are a node's class probabilities, of the
    network or of its label, :math:`a` is the probability that both nodes have
    the same class, :math:`c` is that of two random nodes, and :math:`h` is the
    share of true edges that connect nodes of the same class.

    The class probabilities are a running mean of the network's: each training
    step, which is the backward pass of
    :meth:`VariationalGraphLearner.objective` in training mode, updates them,
    and nothing else does. They start as uniform, where the posterior is the
    prior. They have no gradient.

    Args:
        num_classes (int): The number of classes :math:`C`.
        homophily (float, optional): The share :math:`h`.
            (default: :obj:`0.9`)
        momentum (float, optional): The weight of the newest class
            probabilities in the running mean. (default: :obj:`0.1`)
    """

    needs_classes: ClassVar[bool] = True

    prob: Tensor

    def __init__(
        self,
        num_classes: int,
        homophily: float = 0.9,
        momentum: float = 0.1,
    ) -> None:
        super().__init__()
        self.num_classes = check_count(num_classes, 'num_classes', least=2)
        self.homophily = check_share(homophily, 'homophily')
        self.momentum = check_share(momentum, 'momentum')

    def start_at(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        shape = (prior.pairs.whole.num_nodes, self.num_classes)
        prob = prior.logits.new_full(shape, 1 / self.num_classes)
        self.register_buffer('prob', prob)

    def logits(self, prior: Prior, x: Tensor | None) -> Tensor:
        prob = self._of_nodes(prior)
        same = prior.pairs.dot(prob, prob).clamp(0, 1)
        return prior.logits + class_term(same, self.prob, self.homophily)

    def check_prior(self, prior: Prior) -> None:
        own, other = self.prob.size(0), prior.pairs.whole.num_nodes
        if own != other:
            raise ValueError(
                f'ClassPosterior knows the classes of {own} nodes, got a '
                f'prior of {other}: use AmortizedPosterior for unseen nodes'
            )

    def _of_nodes(self, prior: Prior) -> Tensor:
        self.check_prior(prior)
        node_id = prior.pairs.node_id
        return self.prob if node_id is None else self.prob[node_id]

    def check_outputs(self, num_outputs: int) -> None:
        if num_outputs != self.num_classes:
            raise ValueError(
                f"'num_classes' of ClassPosterior ({self.num_classes}) must "
                f"be the network's number of outputs, got {num_outputs}"
            )

    @torch.no_grad()
    def observe(
        self, out: Tensor, y: Tensor, mask: Tensor | None, prior: Prior
    ) -> None:
        self.check_outputs(out.size(-1))
        old = self._of_nodes(prior)
        new = out.softmax(dim=-1).mean(dim=0).to(old.dtype)
        new = torch.lerp(old, new, self.momentum)
        where = slice(None) if mask is None else mask
        known = torch.eye(self.num_classes, dtype=new.dtype, device=new.device)
        new[where] = known[y[where]]
        node_id = prior.pairs.node_id
        if node_id is None:
            # Not in place: a compiled step may need it in its backward pass.
            self.prob = new
        else:
            self.prob[node_id] = new

    def extra_repr(self) -> str:
        return (
            f'num_classes={self.num_classes}, homophily={self.homophily:.3g}'
        )


def class_term(same: Tensor, prob: Tensor, homophily: float) -> Tensor:
    r"""The term of :class:`ClassPosterior` for pairs that have the same class
    with probability :obj:`same`, among nodes with the class probabilities
    :obj:`prob`.
    """
    total = prob.mean(dim=0)
    chance = (total @ total).clamp(max=1 - 1e-3)
    h = homophily
    ratio = h * same / chance + (1 - h) * (1 - same) / (1 - chance)
    return ratio.clamp(min=1e-6).log()
