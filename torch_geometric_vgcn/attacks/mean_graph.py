from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import Module

from torch_geometric_vgcn.pairs import Candidates, Pairs
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import Prior
from torch_geometric_vgcn.prior.base import logit
from torch_geometric_vgcn.utils import check_floats, find, pair_key


class MeanGraph(Module):
    r"""A network on the mean of the graph that a learner would infer from a
    weighted graph :math:`\mathbf{A}`, with the edge weights

    .. math::
        w_{ij} = a_{ij} \, \sigma \Big( \mathrm{logit}\, \bar\rho_1 + w \,
        \frac{s(\mathbf{x}_i, \mathbf{x}_j) - \mu}{\sigma} + c_{ij} \Big),
        \quad \mu = \frac{\sum a_{ij} s_{ij}}{\sum a_{ij}}, \quad
        \sigma^2 = \frac{\sum a_{ij} (s_{ij} - \mu)^2}{\sum a_{ij}}.

    With weights of one, they are the probabilities of
    :class:`~torch_geometric_vgcn.EvidencePrior`, and :math:`c` is the term of
    :class:`~torch_geometric_vgcn.ClassPosterior`, zero if there is none. They
    are differentiable by :math:`a`, through :math:`\mu` and :math:`\sigma`
    too.

    Args:
        network (torch.nn.Module): The network.
        rho1 (float): The probability :math:`\bar\rho_1`.
        weight (float): The weight :math:`w` of the similarity.
        similarity (Callable): The similarity :math:`s`.
    """

    def __init__(
        self,
        network: Module,
        rho1: float,
        weight: float,
        similarity: Callable[[Tensor, Pairs], Tensor],
    ) -> None:
        super().__init__()
        self.network = network
        self.rho1 = rho1
        self.weight = weight
        self.similarity = similarity
        self.classes: ClassPosterior | None = None
        # An attack asks for the same edges several times in a row:
        self._last: tuple[Tensor, int, Tensor, Tensor, Tensor] | None = None

    def know_classes(self, classes: ClassPosterior) -> None:
        r"""From now on, edges are explained by classes too."""
        self.classes, self._last = classes, None

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None
    ) -> Tensor:
        weight = self.edge_probs(x, edge_index, edge_weight)
        return self.network(x, edge_index, edge_weight=weight)

    def edge_probs(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None
    ) -> Tensor:
        r"""The weights :math:`w_{ij}`, of shape :obj:`[E]`.

        Args:
            x (Tensor): The features, of shape :obj:`[N, F]`.
            edge_index (Tensor): The edges, of shape :obj:`[2, E]`.
            edge_weight (Tensor, optional): The weights :math:`a_{ij}`.
                (default: all one)
        """
        value, term = self._evidence(x, edge_index)
        if edge_weight is None:
            edge_weight = torch.ones_like(value)
        total = edge_weight.sum().clamp(min=1e-12)
        off = value - (edge_weight * value).sum() / total
        # As in EvidencePrior, rounding is no evidence:
        least = 1e-3 * (value.abs() * (edge_weight > 0)).amax() + 1e-12
        variance = (edge_weight * off.square()).sum() / total
        scale = variance.clamp(min=least**2).sqrt()
        logits = logit(self.rho1) + self.weight * off / scale + term
        return edge_weight * logits.sigmoid()

    @torch.no_grad()
    def _evidence(
        self, x: Tensor, edge_index: Tensor
    ) -> tuple[Tensor, Tensor]:
        r"""The similarity and the term of the classes, of each edge."""
        if self._last is not None:
            known, version, edges, value, term = self._last
            if (
                known is x
                and version == x._version
                and torch.equal(edges, edge_index)
            ):
                return value, term
        num_nodes = x.size(0)
        pairs = Candidates(edge_index, num_nodes)
        value = self.similarity(x, pairs)
        check_floats(value, (len(pairs),), 'similarity(x, pairs)')
        term = torch.zeros_like(value)
        if self.classes is not None:
            term = self.classes(Prior(pairs, term))
        place, _ = find(pairs.key, pair_key(edge_index, num_nodes))
        value, term = value[place], term[place]
        self._last = (x, x._version, edge_index, value, term)
        return value, term
