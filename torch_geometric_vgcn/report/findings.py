from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from torch_geometric_vgcn.report.edges import EdgeChanges
from torch_geometric_vgcn.report.held_out import HeldOut

#: How many classes have a colour of their own.
COLOURS = 10


@dataclass(frozen=True)
class Findings:
    r"""What a report shows, as plain arrays.

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
        choice (str, optional): The setting that was chosen.
            (default: :obj:`""`)
        trials (Sequence[Mapping[str, Any]], optional): All settings that were
            tried: :obj:`setting`, :obj:`accuracy` and :obj:`nll`; or all
            members of a mean, with :obj:`weight` and :obj:`weight_se`, too.
            (default: :obj:`()`)
        names (Sequence[str], optional): The names of the rows.
            (default: their numbers)
        left_out (int, optional): The number of pairs that are not in
            :obj:`edges`, as they are improbable. (default: :obj:`0`)
        source (str, optional): What the edges are called that
            :obj:`edges.given` selects: :obj:`"given"`, or :obj:`"initial"` if
            it isn't known whether anybody gave them.
            (default: :obj:`"given"`)
        keeps_labels (bool, optional): Whether what is said of a row with a
            label is this label, and no prediction. (default: :obj:`False`)
        caution (str, optional): What else the held-out labels were used for.
            (default: :obj:`""`)
    """

    classes: Sequence[str]
    label: np.ndarray
    prob: np.ndarray
    edges: EdgeChanges
    held_out: HeldOut
    settings: Mapping[str, str] = field(default_factory=dict)
    choice: str = ''
    trials: Sequence[Mapping[str, Any]] = ()
    names: Sequence[str] | None = None
    left_out: int = 0
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

    @property
    def weighed(self) -> bool:
        r"""Whether the model is a weighted mean of what was tried."""
        return any('weight' in trial for trial in self.trials)

    @property
    def chose_no_graph(self) -> bool:
        r"""Whether held-out labels preferred to do without a graph."""
        return self.choice.startswith('no graph')

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
