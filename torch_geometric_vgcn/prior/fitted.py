from collections.abc import Sequence

import torch
from torch import Tensor

from torch_geometric_vgcn.checks import (
    check_class_probs,
    check_floats,
    check_kind,
    check_labels,
    check_share,
    selected_nodes,
)
from torch_geometric_vgcn.prior.base import Prior
from torch_geometric_vgcn.prior.evidence import standardized

#: The largest logit: evidence is never certain.
LIMIT = 8.0


class FittedPrior(Prior):
    r"""A prior that finds by data how far to trust the observed graph. An
    edge is right with probability

    .. math::
        \rho^o_{ij} = \sigma \Big( b + \sum_k w_k \, \frac{e^k_{ij} -
        \mu_k}{\sigma_k} \Big),

    where :math:`e^k` are similarities of the pairs, and :math:`b` and
    :math:`\mathbf{w}` are fitted to what a classifier that has never seen the
    graph says of the two nodes: by least squares to

    .. math::
        \hat{\mathbf{p}}_i^{\top} \hat{\mathbf{p}}_j \approx m_0 + (m_1 - m_0)
        \big( c + (h - c) \rho^o_{ij} \big).

    Nodes of a right edge have the same class with probability :math:`h`,
    those of a wrong one by chance, :math:`c = \sum_c \pi_c^2`; and
    :math:`m_1` and :math:`m_0` are the agreement
    :math:`\hat{\mathbf{p}}_i^{\top} \hat{\mathbf{p}}_j` of two nodes of the
    same and of different classes, by labels that the classifier was not
    trained with. Pairs with a training node are left out of the fit.

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
        prob (Tensor): The classifier's class probabilities
            :math:`\hat{\mathbf{p}}`, of shape :obj:`[N, C]`.
        y (Tensor): The classes, of shape :obj:`[N]`.
        train_mask (Tensor): The nodes that the classifier was trained with,
            as a mask or as indices.
        val_mask (Tensor): Other nodes whose class is known, a random sample.
        homophily (float, optional): The share :math:`h` of right edges that
            connect nodes of the same class. (default: :obj:`0.9`)
    """

    def __init__(
        self,
        prior: Prior,
        evidence: Sequence[Tensor],
        prob: Tensor,
        y: Tensor,
        train_mask: Tensor,
        val_mask: Tensor,
        homophily: float = 0.9,
    ) -> None:
        check_kind(prior, Prior, 'prior')
        check_class_probs(prob)
        pairs, n = prior.pairs, prior.num_nodes
        if prob.size(0) != n:
            raise ValueError(
                f"'prob' must have one row for each of the {n} nodes, got "
                f'{prob.size(0)}'
            )
        check_labels(y, val_mask, n, 'val_mask', num_classes=prob.size(1))
        train = selected_nodes(train_mask, n, 'train_mask').to(pairs.device)
        val = selected_nodes(val_mask, n, 'val_mask').to(pairs.device)
        if bool(torch.isin(val, train).any()):
            raise ValueError(
                "'val_mask' must select nodes outside 'train_mask', of which "
                'the classifier is too sure, got nodes of both'
            )
        agreement = _Agreement(prob.double(), y.to(prob.device), val)
        share = check_share(homophily, 'homophily')
        if share <= agreement.chance:
            raise ValueError(
                f"'homophily' must be above {agreement.chance:.3g}, the "
                f'share of pairs of the same class by chance, got {share}'
            )
        z = _columns(evidence, len(pairs))
        row, col = pairs.index
        usable = torch.ones(n, dtype=torch.bool, device=pairs.device)
        usable[train] = False
        usable = usable[row] & usable[col]
        if not bool(usable.any()):
            raise ValueError(
                "'train_mask' must leave pairs without a training node, got "
                'none'
            )
        found = agreement.of(pairs.dot(prob, prob))[usable]
        coefficient = _fit(z[usable], found, agreement.chance, share)
        logits = coefficient[0] + z @ coefficient[1:]
        logits = logits.clamp(-LIMIT, LIMIT).to(prior.logits.dtype)
        super().__init__(
            pairs, logits, prior.background, prior.edge_index, prior.edge_attr
        )
        self.bias, *weight = coefficient.tolist()
        self.weight = tuple(weight)

    def extra_repr(self) -> str:
        weight = ', '.join(f'{value:.3g}' for value in self.weight)
        return f'bias={self.bias:.3g}, weight=({weight})'


class _Agreement:
    r"""How often the classifier says the same of two nodes of the same class
    and of different classes.

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
        agree, weight = mean @ mean.t(), torch.outer(share, share)
        self.chance = float(share.square().sum())
        same = float((weight * agree).diagonal().sum())
        self.same = same / self.chance
        rest = max(1 - self.chance, 1e-12)
        self.different = (float((weight * agree).sum()) - same) / rest
        if self.same - self.different < 0.01:
            raise ValueError(
                "'prob' must tell the classes of 'val_mask' apart, got the "
                f'same agreement for pairs of one class ({self.same:.3g}) as '
                f'for pairs of two ({self.different:.3g}): what knows '
                'nothing of classes says nothing of edges; use EvidencePrior'
            )

    def of(self, agreement: Tensor) -> Tensor:
        r"""The probability of the same class whose expectation an agreement
        is; not between 0 and 1, as one pair is no mean.
        """
        gap = self.same - self.different
        return (agreement.double() - self.different) / gap


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


def _fit(z: Tensor, same: Tensor, chance: float, homophily: float) -> Tensor:
    r"""The coefficients :math:`(b, \mathbf{w})`, by least squares with a small
    penalty, as evidence may separate completely.
    """
    coefficient = z.new_zeros(z.size(1) + 1).requires_grad_()
    scale = same.var(correction=0).clamp(min=1e-12)
    penalty = torch.full_like(coefficient, 1e-3)
    penalty[0] = 1e-4
    optimizer = torch.optim.LBFGS(
        [coefficient], max_iter=200, line_search_fn='strong_wolfe'
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        right = (coefficient[0] + z @ coefficient[1:]).sigmoid()
        error = same - chance - (homophily - chance) * right
        value = error.square().mean() / scale
        value = value + (penalty * coefficient.square()).sum()
        value.backward()
        return value

    with torch.enable_grad(), torch.inference_mode(False):
        optimizer.step(loss)
    return coefficient.detach()
