from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

#: The fewest runs from which an interval is believed.
FEWEST = 3


@dataclass(frozen=True)
class Difference:
    r"""The mean of paired differences with its 95 % interval by Student's
    :math:`t`.

    Args:
        mean (float): The mean.
        radius (float): Half the width of the interval, infinite for one run.
        runs (int): The number of runs.
    """

    mean: float
    radius: float
    runs: int

    @classmethod
    def of(
        cls, ours: Mapping[int, float], theirs: Mapping[int, float]
    ) -> 'Difference | None':
        r"""The difference over the runs that both have, if there are any.

        Args:
            ours (Mapping[int, float]): A score of each run.
            theirs (Mapping[int, float]): What is subtracted from it.
        """
        both = sorted(ours.keys() & theirs.keys())
        if not both:
            return None
        values = np.array([ours[run] - theirs[run] for run in both])
        n, radius = len(both), float('inf')
        if n > 1:
            radius = float(t.ppf(0.975, n - 1) * values.std(ddof=1) / n**0.5)
        return cls(float(values.mean()), radius, n)

    @property
    def low(self) -> float:
        return self.mean - self.radius

    @property
    def high(self) -> float:
        return self.mean + self.radius

    @property
    def is_clear(self) -> bool:
        r"""Whether the interval excludes zero, with enough runs."""
        return self.runs >= FEWEST and (self.low > 0 or self.high < 0)

    def text(self, digits: int) -> str:
        r"""The mean and the interval, in bold if the latter excludes zero."""
        text = f'{self.mean:+.{digits}f}'
        if self.runs == 1:
            return text
        text += f' [{self.low:+.{digits}f}, {self.high:+.{digits}f}]'
        return f'**{text}**' if self.is_clear else text


def best_of(scores: Mapping[str, Mapping[int, float]]) -> str:
    r"""The name with the highest mean.

    Args:
        scores (Mapping[str, Mapping[int, float]]): For each name, a score of
            each run.
    """
    return max(scores, key=lambda name: np.mean(list(scores[name].values())))


def clearly_best(scores: Mapping[str, Mapping[int, float]]) -> str | None:
    r"""The name that is better than each other one by more than noise."""
    scores = {name: each for name, each in scores.items() if each}
    if len(scores) < 2:
        return None
    best = best_of(scores)
    differences = [
        Difference.of(scores[best], each)
        for name, each in scores.items()
        if name != best
    ]
    clear = all(d and d.is_clear and d.low > 0 for d in differences)
    return best if clear else None
