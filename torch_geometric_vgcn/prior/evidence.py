from collections.abc import Callable
from typing import Any

from torch import Tensor

from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior.base import Prior
from torch_geometric_vgcn.prior.similarity import cosine_similarity
from torch_geometric_vgcn.utils import NUMBER, Instance, check_floats, checked


class EvidencePrior(Prior):
    r"""Another prior, with the similarity of two nodes as further evidence for
    an edge

    .. math::
        \mathrm{logit}\, \rho^o_{ij} = \theta_{ij} + w \,
        \frac{s_{ij} - \mu}{\sigma},

    where :math:`\theta` are the other prior's logits, and :math:`\mu` and
    :math:`\sigma` the mean and standard deviation of the similarity :math:`s`
    over its pairs. Edges between unlike nodes, such as those that an attacker
    adds, start as improbable. Labels play no part.

    Evidence of several kinds adds up: the prior to add to may be another
    :class:`EvidencePrior`.

    .. code-block:: python

        prior = SmoothedPrior(data.edge_index, data.num_nodes, rho1=0.5)
        prior = EvidencePrior(prior, data.x)  # of the features
        prior = EvidencePrior(  # of the graph itself
            prior, data.edge_index, similarity=resource_allocation
        )

    For unseen nodes, :meth:`extend` keeps :math:`\mu` and :math:`\sigma` of
    training; another :class:`EvidencePrior` would have those of its own pairs.

    Args:
        prior (Prior): The prior to add to.
        x (Tensor): What is compared: the features, of shape :obj:`[N, F]`,
            dense or sparse, or the graph (:obj:`edge_index`) for similarities
            of structure.
        weight (float, optional): The weight :math:`w` of a standard deviation
            of similarity, in logits. (default: :obj:`2.0`)
        similarity (Callable, optional): The similarity :math:`s`, a function
            of :obj:`x` and the pairs.
            Of features:
            :func:`~torch_geometric_vgcn.prior.cosine_similarity`,
            :func:`~torch_geometric_vgcn.prior.jaccard_similarity`,
            :func:`~torch_geometric_vgcn.prior.negative_distance`; of
            structure: :func:`~torch_geometric_vgcn.prior.degree_product`,
            :func:`~torch_geometric_vgcn.prior.resource_allocation`.
            (default: :func:`~torch_geometric_vgcn.prior.cosine_similarity`)
    """

    @checked(prior=Instance(Prior), weight=NUMBER)
    def __init__(
        self,
        prior: Prior,
        x: Any,
        weight: float = 2.0,
        similarity: Callable[[Any, Pairs], Tensor] = cosine_similarity,
    ) -> None:
        if not callable(similarity):
            raise TypeError(
                "'similarity' must be a function of 'x' and the pairs, got "
                f'{type(similarity).__name__}'
            )
        value = _similarities(prior, x, similarity)
        self._add(prior, value, weight, similarity, *moments(value))

    def _add(
        self,
        prior: Prior,
        value: Tensor,
        weight: float,
        similarity: Callable[[Any, Pairs], Tensor],
        mean: float,
        deviation: float,
    ) -> None:
        evidence = weight * ((value - mean) / deviation)
        super().__init__(
            prior.pairs,
            prior.logits + evidence.to(prior.logits.dtype),
            prior.background,
            prior.edge_index,
            prior.edge_attr,
        )
        self.weight = weight
        self.similarity = similarity
        self.mean = mean
        self.deviation = deviation

    @checked(prior=Instance(Prior))
    def extend(self, prior: Prior, x: Any) -> 'EvidencePrior':
        r"""The same evidence for other pairs, such as those of unseen nodes,
        on the same scale: with the mean and the deviation of these pairs.

        .. code-block:: python

            more = SmoothedPrior(edge_index, num_nodes)  # of all nodes
            learner.predict(x, prior=learner.prior.extend(more, x))

        Args:
            prior (Prior): The prior of the other pairs, to add to.
            x (Tensor): What is compared, of its nodes.
        """
        out = self.__new__(type(self))
        out._add(
            prior,
            _similarities(prior, x, self.similarity),
            self.weight,
            self.similarity,
            self.mean,
            self.deviation,
        )
        return out

    def extra_repr(self) -> str:
        return f'weight={self.weight:.3g}'


def _similarities(
    prior: Prior, x: Any, similarity: Callable[[Any, Pairs], Tensor]
) -> Tensor:
    value = similarity(x, prior.pairs)
    check_floats(value, (len(prior.pairs),), 'similarity(x, pairs)')
    return value


def moments(value: Tensor) -> tuple[float, float]:
    r"""The mean and the standard deviation of similarities. Those that differ
    by no more than rounding are no evidence: the deviation is at least that
    of rounding, so that they become zero, nearly.
    """
    if value.numel() == 0:
        return 0.0, 1.0
    least = 1e-3 * value.abs().max() + 1e-12
    deviation = value.std(correction=0).clamp(min=least)
    return float(value.mean()), float(deviation)


def standardized(value: Tensor) -> Tensor:
    r"""Similarities with mean zero and variance one."""
    mean, deviation = moments(value)
    return (value - mean) / deviation
