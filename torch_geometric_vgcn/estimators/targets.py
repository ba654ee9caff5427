r"""What is known of the rows, and what follows for the rest: classes, or
values of a continuous quantity.
"""

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.nn.functional import log_softmax, mse_loss

from torch_geometric_vgcn.analysis import best_temperature
from torch_geometric_vgcn.pairs import Pairs
from torch_geometric_vgcn.posterior.classes import class_term

#: How alike the ends of right edges are: the share of the same class, or of
#: the variance that both ends have in common.
HOMOPHILY = 0.9


class Targets(ABC):
    r"""What the network is trained for.

    Args:
        value (Tensor): The target of each row, of shape :obj:`[N, D]`;
            unknown ones are zero.
        known (Tensor): Which are known, a mask of shape :obj:`[N]`.
    """

    def __init__(self, value: Tensor, known: Tensor) -> None:
        self.value = value
        self.known = known

    #: The name of the score.
    score_name: str

    @property
    def width(self) -> int:
        return self.value.size(1)

    @abstractmethod
    def loss(self, out: Tensor, target: Tensor) -> Tensor:
        r"""The mean loss of the network's outputs."""

    @abstractmethod
    def mean(self, out: Tensor) -> Tensor:
        r"""What the network's outputs say of the targets."""

    @abstractmethod
    def taught(self, mean: Tensor) -> Tensor:
        r"""What the network is to learn of rows without a label, from what
        is expected of them.
        """

    @abstractmethod
    def edge_term(self, mean: Tensor, pairs: Pairs) -> Tensor:
        r"""How strongly what is expected of both ends supports an edge, in
        logits, of shape :obj:`[P]`.
        """

    @abstractmethod
    def joining_term(self, own: Tensor, there: Tensor, mean: Tensor) -> Tensor:
        r"""The same for unseen rows, of which the network says :obj:`own`
        (:obj:`[Q, D]`), and the training rows that they join, of which
        :obj:`there` (:obj:`[Q, k, D]`) is expected, among all of which
        :obj:`mean` is expected.
        """

    @abstractmethod
    def score(self, mean: Tensor, rows: Tensor) -> tuple[float, float]:
        r"""How well the targets of some rows are predicted: a score, and the
        mean negative log-likelihood after calibration.

        Args:
            mean (Tensor): What is expected of these rows, of shape
                :obj:`[n, D]`.
            rows (Tensor): The rows.
        """


class Classes(Targets):
    r"""Classes, as class probabilities.

    Args:
        code (Tensor): The class of each row, :obj:`-1` if unknown.
        num_classes (int): The number of classes.
    """

    score_name = 'accuracy'

    def __init__(self, code: Tensor, num_classes: int) -> None:
        known = code >= 0
        value = torch.zeros(code.numel(), num_classes, device=code.device)
        value[known, code[known]] = 1.0
        super().__init__(value, known)

    def loss(self, out: Tensor, target: Tensor) -> Tensor:
        return -(target * log_softmax(out, dim=-1)).sum(dim=-1).mean()

    def mean(self, out: Tensor) -> Tensor:
        return out.softmax(dim=-1)

    def taught(self, mean: Tensor) -> Tensor:
        sharp = mean.square()
        return sharp / sharp.sum(dim=-1, keepdim=True).clamp(min=1e-30)

    def edge_term(self, mean: Tensor, pairs: Pairs) -> Tensor:
        same = pairs.dot(mean, mean).clamp(0, 1)
        return class_term(same, mean, HOMOPHILY)

    def joining_term(self, own: Tensor, there: Tensor, mean: Tensor) -> Tensor:
        same = (own.unsqueeze(1) * there).sum(dim=-1).clamp(0, 1)
        return class_term(same, mean.double(), HOMOPHILY)

    def score(self, mean: Tensor, rows: Tensor) -> tuple[float, float]:
        y = self.value[rows].argmax(dim=-1)
        hit = (mean.argmax(dim=-1) == y).double().mean()
        prob = calibrated(mean, self.temperature(mean, rows))
        likelihood = prob.gather(-1, y.unsqueeze(-1)).clamp(min=1e-12)
        return float(hit), -float(likelihood.log().mean())

    def temperature(self, mean: Tensor, rows: Tensor) -> float:
        r"""The temperature at which the classes of some rows are most
        likely.
        """
        y = self.value[rows].argmax(dim=-1)
        every = torch.arange(rows.numel(), device=rows.device)
        return best_temperature(calibrated(mean, 1.0), y, every)


class Values(Targets):
    r"""Values with mean zero and variance one. The two ends of a right edge
    differ less than two random rows:

    .. math::
        \log \frac{\mathcal{N}(m_i - m_j \mid 0, 2 (1 - h))}{\mathcal{N}(m_i -
        m_j \mid 0, 2)}.
    """

    score_name = 'r2'

    def loss(self, out: Tensor, target: Tensor) -> Tensor:
        return mse_loss(out, target)

    def mean(self, out: Tensor) -> Tensor:
        return out

    def taught(self, mean: Tensor) -> Tensor:
        return mean

    def edge_term(self, mean: Tensor, pairs: Pairs) -> Tensor:
        row, col = pairs.index
        return _value_term(mean[row] - mean[col])

    def joining_term(self, own: Tensor, there: Tensor, mean: Tensor) -> Tensor:
        return _value_term(own.unsqueeze(1) - there)

    def score(self, mean: Tensor, rows: Tensor) -> tuple[float, float]:
        error = (mean - self.value[rows]).square().mean(dim=0)
        if not self.value.any():  # all are alike, and predicted as such
            error = torch.zeros_like(error)
        total = self.value[rows].var(dim=0, correction=0)
        noise = error.clamp(min=1e-12)
        nll = 0.5 * (2 * math.pi * math.e * noise).log().sum()
        # Of values that are alike, as for scikit-learn: 1 or 0.
        some = (error > 0).to(error)
        lost = torch.where(total > 1e-12, error / total, some)
        return float((1 - lost).mean()), float(nll)


def calibrated(mean: Tensor, temperature: float) -> Tensor:
    r"""Class probabilities at a temperature, in double precision."""
    log_prob = mean.double().clamp(min=1e-30).log()
    return (log_prob / temperature).softmax(dim=-1)


def _value_term(difference: Tensor) -> Tensor:
    left = 1 - HOMOPHILY
    each = -0.5 * math.log(left) - difference.square() * (1 / left - 1) / 4
    return each.sum(dim=-1)
