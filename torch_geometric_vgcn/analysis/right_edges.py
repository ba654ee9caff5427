r"""How probable it is that a given edge is right."""

import numpy as np
import torch
from scipy.optimize import isotonic_regression
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from torch_geometric_vgcn.analysis.pair_evidence import pair_evidence
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.utils import (
    check_class_probs,
    check_features,
    check_floats,
    check_kind,
    pair_at,
    place_of,
)

#: Of the random pairs: not one with which others make their graphs.
SEED = 8_531_297_017
#: With fewer edges, or other pairs, nothing is estimated.
LEAST = 100
#: How many random pairs to draw at least, where there are so many.
RANDOM = 20_000
#: With many knots, each degree has its own, and the degrees of any graph are
#: more or less frequent by chance.
FOLDS, KNOTS = 3, 4
#: The share of random pairs that tells how many edges are false, at least.
TAIL = 0.1
#: Which quantile of right edges counts as typical, and how many of them may
#: look like random pairs.
TYPICAL, ALIKE = 0.6, 0.1


@torch.no_grad()
def right_edges(
    edge_index: Tensor, x: Tensor, prob: Tensor | None = None
) -> tuple[Tensor, float] | None:
    r"""The probability that each given edge is right, and the share of right
    ones, by Bayes' rule

    .. math::
        p_{ij} = 1 - \frac{\kappa}{r(s_{ij})}, \quad
        r(s) = \frac{f_{\text{given}}(s)}{f_{\text{random}}(s)}.

    A false edge joins two nodes at random. Given edges are a mixture of right
    edges and a share :math:`\kappa` of false ones, and random pairs without an
    edge are a sample of the latter. A cross-fitted logistic regression tells
    both apart by their evidence :math:`s` (of features, classes, degrees and
    common neighbours), as it is without the edge itself.

    Args:
        edge_index (Tensor): The given graph, of shape :obj:`[2, E]`.
        x (Tensor): The features, of shape :obj:`[N, F]`, scaled so that their
            cosine tells how alike two nodes are.
        prob (Tensor, optional): Class probabilities of all nodes, of shape
            :obj:`[N, C]`, from a model that hasn't seen the graph.
            (default: :obj:`None`)

    Returns:
        The probability of each edge, in the order of :class:`Candidates`, and
        the share :math:`1 - \kappa`, or :obj:`None` for a graph with fewer
        than 100 edges, or with nearly all.
    """
    check_kind(x, Tensor, 'x')
    num_nodes = x.size(0) if x.dim() > 0 else 0
    check_floats(x, (num_nodes, 'F'), 'x')
    check_features(x, num_nodes)
    if prob is not None:
        check_class_probs(prob)
        check_floats(prob, (num_nodes, 'C'), 'prob')
    rng = torch.Generator().manual_seed(SEED)
    edges = Candidates(edge_index, num_nodes)
    other = _random_pairs(edges, rng)
    if min(len(edges), other.size(1)) < LEAST:
        return None
    index = torch.cat([edges.index, other], dim=1)
    pairs = Candidates(index, num_nodes)
    given = pairs.contains(edges.index)
    score = _score(pair_evidence(x, prob, edges, pairs), given, rng)
    ratio = _ratio(score, given)
    false = _false_share(_least_ratio(score, given), ratio)
    return (1 - false / ratio).clamp(min=0), 1 - false


def _random_pairs(edges: Candidates, rng: torch.Generator) -> Tensor:
    r"""As many other pairs as edges, or more, or all there are."""
    count = max(RANDOM, len(edges))
    drawn = torch.randint(edges.num_possible, (2 * count,), generator=rng)
    drawn = drawn.unique()
    drawn = drawn[torch.randperm(drawn.numel(), generator=rng)]
    drawn = drawn.to(edges.device)
    drawn = drawn[~torch.isin(drawn, place_of(edges.index, edges.num_nodes))]
    return pair_at(drawn[:count], edges.num_nodes)


def _score(
    evidence: list[Tensor], given: Tensor, rng: torch.Generator
) -> Tensor:
    r"""A sum of piecewise linear functions of the evidence, high for given
    edges, of each pair by other pairs.
    """
    x = torch.cat([_piecewise(value) for value in evidence], dim=1)
    y = given.to(x)
    fold = torch.randint(FOLDS, y.shape, generator=rng).to(y.device)
    shift = (given.sum() / (~given).sum()).log()
    out = torch.empty_like(y)
    for number in range(FOLDS):
        own = fold == number
        beta = _logistic(x[~own], y[~own], shift)
        out[own] = x[own] @ beta
    return out


def _piecewise(value: Tensor) -> Tensor:
    r"""The basis of piecewise linear functions, with knots at quantiles."""
    place = torch.linspace(0, value.numel() - 1, KNOTS).long()
    knot = value.sort().values[place.to(value.device)].unique()
    if knot.numel() < 2:
        return torch.ones_like(value).view(-1, 1)
    right = torch.searchsorted(knot, value, right=True)
    right = right.clamp(1, knot.numel() - 1)
    left = right - 1
    part = (value - knot[left]) / (knot[right] - knot[left])
    out = value.new_zeros(value.numel(), knot.numel())
    out.scatter_(1, left.view(-1, 1), 1 - part.view(-1, 1))
    return out.scatter_(1, right.view(-1, 1), part.view(-1, 1))


@torch.enable_grad()
def _logistic(x: Tensor, y: Tensor, shift: Tensor) -> Tensor:
    r"""The coefficients of a logistic regression, with a weak L2 penalty."""
    beta = x.new_zeros(x.size(1), requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [beta], max_iter=60, line_search_fn='strong_wolfe'
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = binary_cross_entropy_with_logits(x @ beta + shift, y)
        loss = loss + beta.square().sum() / (2 * y.numel())
        loss.backward()
        return loss

    optimizer.step(closure)
    return beta.detach()


def _ratio(score: Tensor, given: Tensor) -> Tensor:
    r"""The ratio of the densities of given and random pairs at given edges,
    which grows with their score: by isotonic regression, and linear between
    its steps, so that it keeps the order.
    """
    order = score.argsort(stable=True)
    hit = given[order].double().numpy(force=True)
    start = isotonic_regression(hit).blocks[:-1]
    count = np.diff(start, append=hit.size)
    # Half a pair of each kind, as a step may have none of one:
    edge = np.add.reduceat(hit, start) + 0.5
    step = np.log(edge / (count + 1 - edge))
    value = score.double().numpy(force=True)
    place = np.add.reduceat(value[order.numpy(force=True)], start) / count
    log_ratio = np.interp(value, place, step)
    log_ratio -= np.log(hit.sum() / (hit.size - hit.sum()))
    return torch.from_numpy(log_ratio).to(score.device)[given].exp()


def _least_ratio(score: Tensor, given: Tensor) -> float:
    r"""The least ratio of the shares of given and random pairs below any
    score, and two standard errors, as the least of many is too low.
    """
    order = score.argsort(stable=True)
    hit = given[order].double()
    size, other = hit.sum(), (1 - hit).sum()
    below = hit.cumsum(0) / size
    chance = (1 - hit).cumsum(0) / other
    some = chance >= TAIL
    below, chance = below[some], chance[some]
    error = (1 - below) / (below * size).clamp(min=1)
    error = error + (1 - chance) / (chance * other)
    return min(1.0, float((below / chance * (1 + 2 * error.sqrt())).min()))


def _false_share(least: float, ratio: Tensor) -> float:
    r"""The share :math:`\kappa` of false edges. The least ratio is all of them
    and those right edges that look like random pairs. How many these are can't
    be known: as few are assumed as make two nodes that differ speak as much
    against a right edge as those of a typical right edge speak for it, at most
    a tenth, and not more than false edges.
    """
    ratio = ratio.sort().values
    right = (1 - least / ratio).clamp(min=0).cumsum(0)
    place = torch.searchsorted(right, TYPICAL * right[-1:])
    typical = (float(ratio[place]) - least) / max(1 - least, 1e-12)
    alike = min(ALIKE, 1 / max(typical, 1.0))
    return max((least - alike) / (1 - alike), least / 2)
