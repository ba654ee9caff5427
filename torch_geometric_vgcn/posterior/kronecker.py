import torch
from torch import Tensor
from torch.nn import Parameter

from torch_geometric_vgcn.checks import check_count, check_kind
from torch_geometric_vgcn.posterior.base import Posterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import logit


class KroneckerPosterior(Posterior):
    r"""A stochastic Kronecker graph: the edge probabilities are the
    :math:`K`-fold Kronecker power of a small symmetric matrix
    :math:`\boldsymbol{\Theta} \in (0, 1)^{m \times m}`, cut to :math:`N` nodes

    .. math::
        \rho_{ij} = \prod_{k=1}^K \Theta_{d_k(i), d_k(j)},

    where :math:`d_k(i)` is the :math:`k`-th digit of :math:`i` in base
    :math:`m`. With only :math:`m(m+1)/2` parameters it can't follow the prior;
    it starts at the prior's mean probability.

    Args:
        size (int, optional): The size :math:`m` of the initiator.
            (default: :obj:`4`)
    """

    initiator: Parameter

    def __init__(self, size: int = 4) -> None:
        super().__init__()
        self.size = check_count(size, 'size', least=2, most=2**12)

    def start_at(self, prior: Prior) -> None:
        check_kind(prior, Prior, 'prior')
        n = prior.pairs.whole.num_nodes
        self.order = 1
        while self.size**self.order < n:
            self.order += 1
        mean = float(prior.probs.mean().clamp(1e-6, 1 - 1e-6))
        entry = mean ** (1 / self.order)
        shape = (self.size, self.size)
        self.initiator = Parameter(prior.logits.new_full(shape, logit(entry)))

    def logits(self, prior: Prior, x: Tensor | None) -> Tensor:
        self.check_prior(prior)
        pairs = prior.pairs
        row, col = pairs.index
        if pairs.node_id is not None:
            row, col = pairs.node_id[row], pairs.node_id[col]
        symmetric = (self.initiator + self.initiator.t()) / 2
        log_entry = torch.nn.functional.logsigmoid(symmetric).flatten()
        log_prob = log_entry.new_zeros(len(pairs))
        for _ in range(self.order):
            digits = (row % self.size) * self.size + col % self.size
            log_prob = log_prob + log_entry[digits]
            row, col = row // self.size, col // self.size
        # logit(p) = log p - log(1 - p)
        return log_prob - torch.log(-torch.expm1(log_prob))

    def check_prior(self, prior: Prior) -> None:
        own, other = self.size**self.order, prior.pairs.whole.num_nodes
        if other > own:
            raise ValueError(
                f'KroneckerPosterior has {own} nodes and no others, got a '
                f'prior of {other} nodes: use AmortizedPosterior for unseen '
                'nodes'
            )

    def extra_repr(self) -> str:
        return f'size={self.size}'
