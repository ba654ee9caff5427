from dataclasses import dataclass
from typing import NamedTuple

import torch
from scipy.stats import binomtest
from torch import Tensor

from torch_geometric_vgcn.utils import (
    check_class_probs,
    check_count,
    check_labels,
)


class Bin(NamedTuple):
    r"""Predictions whose confidence is between :obj:`low` and :obj:`high`,
    with the 95 % interval of their accuracy.
    """

    low: float
    high: float
    number: int
    confidence: float
    accuracy: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Calibration:
    r"""How often predictions of some confidence are right.

    Args:
        count (Tensor): How many predictions are in each of :math:`B` equal
            bins of confidence, of shape :obj:`[B]`.
        confidence (Tensor): Their mean confidence, zero in an empty bin.
        accuracy (Tensor): The share of them that is right, zero in an empty
            bin.
        error (float): The expected calibration error (ECE).
    """

    count: Tensor
    confidence: Tensor
    accuracy: Tensor
    error: float

    def bins(self) -> list[Bin]:
        r"""The bins with at least one prediction, as diagrams show them."""
        size = self.count.numel()
        columns = (self.count, self.confidence, self.accuracy)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        out = []
        for place, (number, confidence, accuracy) in enumerate(rows):
            if number > 0:
                limits = place / size, (place + 1) / size
                interval = wilson(accuracy, number)
                out.append(
                    Bin(*limits, number, confidence, accuracy, interval)
                )
        return out


def wilson(share: float, size: int) -> tuple[float, float]:
    r"""Wilson's 95 % interval of the share of hits among :obj:`size`."""
    test = binomtest(round(share * size), size)
    low, high = test.proportion_ci(method='wilson')
    return float(low), float(high)


def calibration(
    prob: Tensor, y: Tensor, mask: Tensor, bins: int = 10
) -> Calibration:
    r"""Compares the confidence of predictions with their accuracy, as in the
    `"On Calibration of Modern Neural Networks"
    <https://arxiv.org/abs/1706.04599>`_ paper

    .. math::
        \mathrm{ECE} = \sum_{b=1}^{B} \frac{n_b}{n} \,
        |\mathrm{acc}(b) - \mathrm{conf}(b)|,

    where the bin :math:`b` holds the :math:`n_b` predictions whose highest
    class probability is in :math:`(\frac{b-1}{B}, \frac{b}{B}]`.

    Args:
        prob (Tensor): The class probabilities, of shape :obj:`[N, C]`, as
            :meth:`VariationalGraphLearner.predict` gives them.
        y (Tensor): The classes, of shape :obj:`[N]`.
        mask (Tensor): Which nodes to look at, as a mask or as indices.
        bins (int, optional): The number of bins :math:`B`.
            (default: :obj:`10`)
    """
    bins = check_count(bins, 'bins', least=1, most=10**6)
    check_class_probs(prob)
    check_labels(y, mask, prob.size(0), num_classes=prob.size(1))
    highest, predicted = prob[mask].detach().double().max(dim=-1)
    hit = (predicted == y[mask]).double()
    limits = torch.arange(1, bins, device=prob.device).double() / bins
    # Rounding must not take a confidence of 0.7 past that limit:
    place = torch.bucketize(highest - 1e-6, limits)
    count = torch.bincount(place, minlength=bins)
    some = count.clamp(min=1)
    confidence = torch.bincount(place, highest, minlength=bins) / some
    accuracy = torch.bincount(place, hit, minlength=bins) / some
    error = (count * (accuracy - confidence).abs()).sum() / count.sum()
    return Calibration(count, confidence, accuracy, float(error))
