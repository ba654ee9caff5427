from collections.abc import Callable

from torch import Tensor

from torch_geometric_vgcn.checks import (
    check_features,
    check_floats,
    check_kind,
    check_number,
)
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.prior.base import Prior
from torch_geometric_vgcn.prior.similarity import cosine_similarity


class EvidencePrior(Prior):
    r"""Another prior, with the similarity of the nodes' features as further
    evidence for an edge

    .. math::
        \mathrm{logit}\, \rho^o_{ij} = \theta_{ij} + w \,
        \frac{s(\mathbf{x}_i, \mathbf{x}_j) - \mu}{\sigma},

    where :math:`\theta` are the other prior's logits, and :math:`\mu` and
    :math:`\sigma` the similarity's mean and standard deviation over its
    pairs. Edges between unlike nodes, such as those that an attacker adds,
    start as improbable. Labels play no part.

    Args:
        prior (Prior): The prior to add to.
        x (Tensor): The features, of shape :obj:`[N, F]`, dense or sparse.
        weight (float, optional): The weight :math:`w` of a standard deviation
            of similarity, in logits. (default: :obj:`2.0`)
        similarity (Callable, optional): The similarity :math:`s`, a function
            of :obj:`x` and the pairs.
            (default: :func:`~torch_geometric_vgcn.prior.cosine_similarity`)
    """

    def __init__(
        self,
        prior: Prior,
        x: Tensor,
        weight: float = 2.0,
        similarity: Callable[[Tensor, Pairs], Tensor] = cosine_similarity,
    ) -> None:
        check_kind(prior, Prior, 'prior')
        check_features(x, prior.num_nodes)
        if not callable(similarity):
            raise TypeError(
                "'similarity' must be a function of 'x' and the pairs, got "
                f'{type(similarity).__name__}'
            )
        weight = check_number(weight, 'weight')
        value = similarity(x, prior.pairs)
        check_floats(value, (len(prior.pairs),), 'similarity(x, pairs)')
        # Similarities that differ by no more than rounding are no evidence:
        least = 1e-3 * value.abs().max() + 1e-12
        scale = value.std(correction=0).clamp(min=least)
        evidence = weight * (value - value.mean()) / scale
        super().__init__(
            prior.pairs,
            prior.logits + evidence.to(prior.logits.dtype),
            prior.background,
            prior.edge_index,
            prior.edge_attr,
        )
        self.weight = weight

    def extra_repr(self) -> str:
        return f'weight={self.weight:.3g}'
