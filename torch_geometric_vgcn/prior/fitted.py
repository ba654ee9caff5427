from collections.abc import Sequence

import torch
from torch import Tensor

from torch_geometric_vgcn.prior.base import Prior
from torch_geometric_vgcn.prior.evidence import standardized
from torch_geometric_vgcn.utils import (
    NONNEGATIVE,
    SHARE,
    Instance,
    check_class_probs,
    check_floats,
    check_labels,
    checked,
    selected_nodes,
)

#: The largest logit: evidence is never certain.
LIMIT = 8.0
#: How many nodes show how much agreement varies.
SAMPLE = 1000


class FittedPrior(Prior):
    r"""A prior that estimates from data how far to trust the observed graph.
    An edge is right with probability

    .. math::
        \rho^o_{ij} = \sigma \Big( b - \kappa + \sum_k w_k \,
        \frac{e^k_{ij} - \mu_k}{\sigma_k} \Big),

    where :math:`e^k` are similarities of the pairs, and :math:`b` and
    :math:`\mathbf{w}` are fitted to what is known of the classes of the two
    nodes: by least squares, with :math:`\kappa = 0`, to

    .. math::
        \hat{\mathbf{p}}_i^{\top} \hat{\mathbf{p}}_j \approx m_0 + (m_1 - m_0)
        \big( c + (h - c) \rho^o_{ij} \big).

    :math:`\hat{\mathbf{p}}_i` is a node's label (a unit vector), or else what
    a classifier that has never seen the graph says of it. Nodes of a right
    edge have the same class with probability :math:`h`, those of a wrong one
    by chance, :math:`c = \sum_c \pi_c^2`; and :math:`m_1` and :math:`m_0` are
    the agreement :math:`\hat{\mathbf{p}}_i^{\top} \hat{\mathbf{p}}_j` of two
    nodes of the same and of different classes: one and zero for two labels,
    otherwise counted among nodes that the classifier was not trained with.
    Pairs with no, one and two labels weigh as much as they are certain.

    It is meant for graphs that were observed. Along the edges of a
    nearest-neighbour graph, which were chosen by the features, a classifier
    makes the same errors at both ends, and they would be trusted too much.

    :func:`~torch_geometric_vgcn.fitted_prior` trains the classifier too.

    Args:
        prior (Prior): The prior with the pairs, such as
            :class:`~torch_geometric_vgcn.SmoothedPrior`; its own logits play
            no part.
        evidence (Sequence[Tensor]): The similarities :math:`e^k`, each of
            shape :obj:`[P]`, such as
            :obj:`cosine_similarity(x, prior.pairs)`.
        prob (Tensor): The classifier's class probabilities, of shape
            :obj:`[N, C]`.
        y (Tensor): The classes, of shape :obj:`[N]`.
        train_mask (Tensor): The nodes that the classifier was trained with,
            as a mask or as indices.
        val_mask (Tensor): Other nodes whose class is known, a random sample.
        homophily (float, optional): The share :math:`h` of right edges that
            connect nodes of the same class. (default: :obj:`0.9`)
        caution (float, optional): How many logits :math:`\kappa` below its
            estimate an edge starts. Without caution, probabilities are
            calibrated if edges are as often wrong at nodes with a label as at
            others; an attacker may aim at the others. (default: :obj:`0.0`)
    """

    @checked(prior=Instance(Prior), homophily=SHARE, caution=NONNEGATIVE)
    def __init__(
        self,
        prior: Prior,
        evidence: Sequence[Tensor],
        prob: Tensor,
        y: Tensor,
        train_mask: Tensor,
        val_mask: Tensor,
        homophily: float = 0.9,
        caution: float = 0.0,
    ) -> None:
        check_class_probs(prob)
        pairs, n = prior.pairs, prior.num_nodes
        if prob.size(0) != n:
            raise ValueError(
                f"'prob' must have one row for each of the {n} nodes, got "
                f'{prob.size(0)}'
            )
        for name, mask in (('train_mask', train_mask), ('val_mask', val_mask)):
            check_labels(y, mask, n, name, num_classes=prob.size(1))
        train = selected_nodes(train_mask, n, 'train_mask').to(pairs.device)
        val = selected_nodes(val_mask, n, 'val_mask').to(pairs.device)
        if bool(torch.isin(val, train).any()):
            raise ValueError(
                "'val_mask' must select nodes outside 'train_mask', of which "
                'the classifier is too sure, got nodes of both'
            )
        y = y.to(prob.device)
        agreement = _Agreement(prob.double(), y, val)
        if homophily <= agreement.chance:
            raise ValueError(
                f"'homophily' must be above {agreement.chance:.3g}, the "
                f'share of pairs of the same class by chance, got {homophily}'
            )
        z = _columns(evidence, len(pairs))
        known = torch.zeros(n, dtype=torch.bool, device=prob.device)
        known[torch.cat([train, val])] = True
        best = prob.double().clone()
        best[known] = torch.eye(prob.size(1)).to(best)[y[known]]
        row, col = pairs.index
        num_known = known[row].long() + known[col].long()
        same = agreement.same_class(pairs.dot(best, best), num_known)
        weight = _certainty(same, num_known)
        coefficient = _fit(z, same, weight, agreement.chance, homophily)
        logits = coefficient[0] - caution + z @ coefficient[1:]
        logits = logits.clamp(-LIMIT, LIMIT).to(prior.logits.dtype)
        super().__init__(
            pairs, logits, prior.background, prior.edge_index, prior.edge_attr
        )
        self.bias, *weights = coefficient.tolist()
        self.weight = tuple(weights)
        self.caution = caution

    def extra_repr(self) -> str:
        weight = ', '.join(f'{value:.3g}' for value in self.weight)
        text = f'bias={self.bias:.3g}, weight=({weight})'
        return f'{text}, caution={self.caution:.3g}' if self.caution else text


class _Agreement:
    r"""How often what is known of two nodes of the same class, and of
    different classes, agrees.

    Args:
        prob (Tensor): The class probabilities, of shape :obj:`[N, C]`.
        y (Tensor): The classes.
        nodes (Tensor): The nodes to count.
    """

    def __init__(self, prob: Tensor, y: Tensor, nodes: Tensor) -> None:
        num_classes = prob.size(1)
        count = y[nodes].bincount(minlength=num_classes).to(prob)
        share = count / count.sum()
        # A class's mean, with one more node that is like all:
        total = prob.mean(dim=0).repeat(num_classes, 1)
        total = total.index_add(0, y[nodes], prob[nodes])
        mean = total / (count + 1).unsqueeze(1)
        self.chance = float(share.square().sum())
        weight = torch.outer(share, share)
        label = torch.eye(num_classes).to(prob)
        #: For pairs with no, one and two labels:
        levels = [
            self._levels(weight * agree)
            for agree in (mean @ mean.t(), mean, label)
        ]
        self.same, self.different = prob.new_tensor(levels).t()
        same, different = levels[0]
        # Of some nodes, or it would be a matrix of all pairs:
        some = prob[nodes[:SAMPLE]]
        spread = float((some @ some.t()).std(correction=0))
        if same - different <= 0.1 * spread + 1e-9:
            raise ValueError(
                "'prob' must tell the classes of 'val_mask' apart, got the "
                f'same agreement for pairs of one class ({same:.3g}) as '
                f'for pairs of two ({different:.3g}): the classifier is '
                'uninformative; use EvidencePrior'
            )

    def _levels(self, agree: Tensor) -> tuple[float, float]:
        r"""The mean agreement of two nodes of the same class and of different
        classes.
        """
        same, both = float(agree.diagonal().sum()), float(agree.sum())
        rest = max(1 - self.chance, 1e-12)
        return same / self.chance, (both - same) / rest

    def same_class(self, agreement: Tensor, num_known: Tensor) -> Tensor:
        r"""The probability of the same class whose expectation an agreement
        is; not between 0 and 1, as one pair is no mean.
        """
        different = self.different[num_known]
        gap = self.same[num_known] - different
        return (agreement.double() - different) / gap


def _certainty(same: Tensor, num_known: Tensor) -> Tensor:
    r"""One over the variance among pairs with as many labels."""
    weight = torch.ones_like(same)
    for number in range(3):
        alike = num_known == number
        if int(alike.sum()) > 1:
            variance = same[alike].var(correction=0)
            weight[alike] = 1 / float(variance.clamp(min=0.05))
    return weight / weight.sum()


def _columns(evidence: Sequence[Tensor], num_pairs: int) -> Tensor:
    r"""The evidence, with mean zero and variance one, of shape
    :obj:`[P, K]`.
    """
    if isinstance(evidence, Tensor) or not isinstance(evidence, Sequence):
        raise TypeError(
            "'evidence' must be a list of tensors of shape [P], got "
            f'{type(evidence).__name__}'
        )
    if not evidence:
        raise ValueError("'evidence' must hold at least one tensor, got none")
    columns = []
    for place, value in enumerate(evidence):
        name = f'evidence[{place}]'
        check_floats(value, (num_pairs,), name)
        if not bool(value.isfinite().all()):
            raise ValueError(f"'{name}' must be finite, got NaN or infinity")
        columns.append(standardized(value).double())
    return torch.stack(columns, dim=1)


def _fit(
    z: Tensor, same: Tensor, weight: Tensor, chance: float, homophily: float
) -> Tensor:
    r"""The coefficients :math:`(b, \mathbf{w})`, by weighted least squares
    with a small penalty, as evidence may separate completely.
    """
    coefficient = z.new_zeros(z.size(1) + 1).requires_grad_()
    mean = (weight * same).sum()
    scale = (weight * (same - mean).square()).sum().clamp(min=1e-12)
    penalty = torch.full_like(coefficient, 1e-3)
    penalty[0] = 1e-4
    optimizer = torch.optim.LBFGS(
        [coefficient], max_iter=200, line_search_fn='strong_wolfe'
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        right = (coefficient[0] + z @ coefficient[1:]).sigmoid()
        error = same - chance - (homophily - chance) * right
        value = (weight * error.square()).sum() / scale
        value = value + (penalty * coefficient.square()).sum()
        value.backward()
        return value

    with torch.enable_grad(), torch.inference_mode(False):
        optimizer.step(loss)
    return coefficient.detach()
