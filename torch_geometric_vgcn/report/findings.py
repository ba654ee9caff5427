r"""What a report shows, as plain arrays and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch

from torch_geometric_vgcn.analysis import Calibration, calibration
from torch_geometric_vgcn.analysis.calibration import wilson

#: How many classes have a colour of their own.
COLOURS = 10


@dataclass(frozen=True)
class EdgeChanges:
    r"""Pairs of rows with their probabilities before and after learning.

    Args:
        index (numpy.ndarray): The pairs :math:`i < j`, each once and sorted,
            of shape :obj:`[2, P]`.
        prior (numpy.ndarray): Their probabilities before learning, of shape
            :obj:`[P]`; zero for given edges that were no candidates.
        posterior (numpy.ndarray): Their probabilities after learning.
        given (numpy.ndarray): Which of them are edges of the given graph.
        left_out (int, optional): The number of other pairs, which are
            improbable before and after learning. (default: :obj:`0`)
    """

    index: np.ndarray
    prior: np.ndarray
    posterior: np.ndarray
    given: np.ndarray
    left_out: int = 0

    def __len__(self) -> int:
        return self.prior.size

    @property
    def candidate(self) -> np.ndarray:
        r"""Which pairs have a probability of their own."""
        return self.prior > 0

    @cached_property
    def change(self) -> np.ndarray:
        return self.posterior - self.prior

    @property
    def uses_given(self) -> bool:
        r"""Whether there is a given graph, and its edges are candidates."""
        return bool(self.given.any() and self.candidate[self.given].all())

    @property
    def has_new(self) -> bool:
        r"""Whether there are candidates beside the edges of a given graph."""
        new = self.candidate & ~self.given
        return bool(self.given.any() and new.any())

    def most_distrusted(self, many: int) -> np.ndarray:
        r"""The places of the given edges that are least likely now; without a
        given graph, or if it isn't used, of the edges that lost most.
        """
        if self.uses_given:
            return _first(self.given, self.posterior, many)
        return _first(self.candidate, self.change, many)

    def strongest(self, many: int) -> np.ndarray:
        r"""The places of the new edges that are most likely now; if no new
        ones were considered, of the edges that gained most.
        """
        if self.has_new:
            return _first(self.candidate & ~self.given, -self.posterior, many)
        return _first(self.candidate, -self.change, many)


def _first(which: np.ndarray, value: np.ndarray, many: int) -> np.ndarray:
    r"""Where the smallest values are, equal ones in their order."""
    place = np.flatnonzero(which)
    return place[np.argsort(value[place], kind='stable')[:many]]


@dataclass(frozen=True)
class HeldOut:
    r"""Labels that a model has not seen, and what it predicts for them.

    Args:
        label (numpy.ndarray): The classes, of shape :obj:`[m]`.
        prob (numpy.ndarray): The class probabilities, of shape
            :obj:`[m, C]`.
    """

    label: np.ndarray
    prob: np.ndarray

    def __len__(self) -> int:
        return self.label.size

    @property
    def accuracy(self) -> float:
        return float((self.prob.argmax(axis=1) == self.label).mean())

    @property
    def interval(self) -> tuple[float, float]:
        r"""The 95 % interval of the accuracy."""
        return wilson(self.accuracy, len(self))

    @property
    def nll(self) -> float:
        r"""The mean negative log-likelihood."""
        own = self.prob[np.arange(len(self)), self.label]
        return float(-np.log(np.maximum(own, 1e-12)).mean())

    @property
    def confusion(self) -> np.ndarray:
        r"""How many labels of each class were predicted as which class."""
        size = self.prob.shape[1]
        count = np.zeros((size, size), dtype=int)
        np.add.at(count, (self.label, self.prob.argmax(axis=1)), 1)
        return count

    @cached_property
    def calibration(self) -> Calibration:
        return calibration(
            torch.from_numpy(self.prob),
            torch.from_numpy(self.label).long(),
            torch.arange(len(self)),
        )


@dataclass(frozen=True)
class Findings:
    r"""What a report shows.

    Args:
        classes (Sequence[str]): The names of the :math:`C` classes.
        label (numpy.ndarray): The known class of each of the :math:`n` rows,
            or :obj:`-1`.
        prob (numpy.ndarray): The predicted class probabilities, of shape
            :obj:`[n, C]`.
        edges (EdgeChanges): The edges before and after learning.
        held_out (HeldOut): The labels that measure how good it is, maybe
            none.
        settings (Mapping[str, str]): How the model was made.
        members (Sequence[Mapping[str, Any]], optional): The members of a
            weighted mean: :obj:`member`, :obj:`accuracy`, :obj:`nll`,
            :obj:`weight` and :obj:`weight_se`. (default: :obj:`()`)
        names (Sequence[str], optional): The names of the rows.
            (default: their numbers)
        source (str, optional): What the edges are called that
            :obj:`edges.given` selects: :obj:`"given"`, or :obj:`"initial"` if
            it isn't known whether anybody gave them.
            (default: :obj:`"given"`)
        keeps_labels (bool, optional): Whether the class shown for a row with
            a label is this label, not a prediction. (default: :obj:`False`)
        caution (str, optional): What else the held-out labels were used for.
            (default: :obj:`""`)
    """

    classes: Sequence[str]
    label: np.ndarray
    prob: np.ndarray
    edges: EdgeChanges
    held_out: HeldOut
    settings: Mapping[str, str] = field(default_factory=dict)
    members: Sequence[Mapping[str, Any]] = ()
    names: Sequence[str] | None = None
    source: str = 'given'
    keeps_labels: bool = False
    caution: str = ''

    @property
    def num_rows(self) -> int:
        return self.label.size

    @cached_property
    def predicted(self) -> np.ndarray:
        return self.prob.argmax(axis=1)

    @cached_property
    def confidence(self) -> np.ndarray:
        return self.prob.max(axis=1)

    @cached_property
    def colour(self) -> list[int]:
        r"""The number of each class's colour; with more classes than colours,
        only the largest classes have one of their own, all others the last.
        """
        number = len(self.classes)
        if number <= COLOURS:
            return list(range(number))
        size = np.bincount(self.predicted, minlength=number)
        rank = np.empty(number, dtype=int)
        rank[np.argsort(-size, kind='stable')] = np.arange(number)
        return np.minimum(rank, COLOURS).tolist()

    def name(self, row: int) -> str:
        return str(row) if self.names is None else self.names[row]
