from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from torch_geometric_vgcn.objective.likelihood import (
    EntryLikelihood,
    check_outputs,
)
from torch_geometric_vgcn.utils import check_probs

LEAST = 1e-12  # the least probability of a label, and of its absence


class MultiLabel(EntryLikelihood):
    r"""The likelihood of several labels per node, each of which is there or
    not,

    .. math::
        p(\mathbf{y}_n \mid \mathbf{X}, \mathbf{A}) = \prod_l
        \mathrm{Bern}(y_{nl} \mid \sigma(f_{nl})),

    of a network's outputs :math:`\mathbf{f}`, one for each label.

    Labels :obj:`y` are zeros and ones of shape :obj:`[N, L]`; entries that are
    NaN are unknown. Predictions are the probabilities of the labels, averaged
    over graphs, of shape :obj:`[N, L]`. The score is the micro-averaged
    :math:`F_1` of the labels with a probability above one half.
    """

    score: ClassVar[str] = 'f1'

    def check_shape(
        self, y: Tensor, num_nodes: int, num_outputs: int | None
    ) -> None:
        if y.dim() != 2 or y.size(0) != num_nodes or y.size(1) == 0:
            raise ValueError(
                f"'y' must have shape [{num_nodes}, L], zeros and ones for L "
                f'labels, got {list(y.shape)}'
            )
        if y.is_complex():
            raise TypeError(f"'y' must hold zeros and ones, got {y.dtype}")
        if num_outputs is not None and num_outputs != y.size(1):
            raise ValueError(
                "the network must have one output for each column of 'y' "
                f'({y.size(1)}), got {num_outputs}'
            )

    def check_values(self, y: Tensor) -> None:
        other = y[~((y == 0) | (y == 1) | y.isnan())]
        if other.numel() > 0:
            raise ValueError(
                "'y' must hold zeros and ones, or NaN where a label is "
                f'unknown, got {other[0].item():g}'
            )

    def log_prob_of_entries(self, out: Tensor, y: Tensor) -> Tensor:
        return -binary_cross_entropy_with_logits(
            out, y.expand_as(out), reduction='none'
        )

    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs: the probabilities of the
        labels, not the outputs.
        """
        check_outputs(out)
        return out.sigmoid()

    def calibrated(self, mean: Tensor) -> Tensor:
        r"""Averaged probabilities at the temperature of predictions,
        :math:`\mathrm{logit}\, p' = \mathrm{logit}(p) / T`.
        """
        tiny = torch.finfo(mean.dtype).tiny
        scaled = _logit(mean) / self.temperature.to(mean).clamp(min=tiny)
        return torch.where(self.temperature == 1, mean, scaled.sigmoid())

    def parts(self, prediction: Tensor) -> tuple[Tensor, ...]:
        check_probs(prediction, column='L')
        return (prediction,)

    def predicted_log_prob(
        self, parts: tuple[Tensor, ...], y: Tensor, temperature: float
    ) -> Tensor:
        (prob,) = parts
        return logsigmoid((2 * y - 1) * _logit(prob) / temperature)

    def score_of(
        self, parts: tuple[Tensor, ...], y: Tensor, known: Tensor
    ) -> float:
        found, there = (parts[0] > 0.5) & known, (y == 1) & known
        total = int(found.sum()) + int(there.sum())
        return 2 * int((found & there).sum()) / total if total > 0 else 1.0


def _logit(prob: Tensor) -> Tensor:
    least = max(LEAST, torch.finfo(prob.dtype).tiny)
    there = prob.clamp(min=least).log()
    return there - (1 - prob).clamp(min=least).log()
