from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from problem import Problem

from contenders.base import Contender, Outcome, accuracy, nll
from contenders.folds import folds

Setting = Mapping[str, Any]


class Tuned(Contender):
    r"""A system with a few settings, of which held-out labels choose one: by
    accuracy, then by likelihood. The labels are held out in the same way as
    :class:`~torch_geometric_vgcn.estimators.VGCNClassifier` does it.
    """

    #: What it is, in words.
    what: ClassVar[str]
    #: What to choose from.
    settings: ClassVar[Sequence[Setting]]

    @abstractmethod
    def prob(
        self,
        problem: Problem,
        y: np.ndarray,
        rows: np.ndarray,
        setting: Setting,
        seed: int,
    ) -> np.ndarray:
        r"""Trains, and returns the class probabilities of some rows.

        Args:
            problem (Problem): The features.
            y (numpy.ndarray): The classes to train with, :obj:`-1` where not
                known. Each class is there.
            rows (numpy.ndarray): The rows to predict.
            setting (Mapping): One of :obj:`settings`.
            seed (int): The seed.
        """

    def each(
        self, problem: Problem, y: np.ndarray, rows: np.ndarray, seed: int
    ) -> Iterator[np.ndarray]:
        r"""The probabilities by each of the settings, for validation."""
        for setting in self.settings:
            yield self.prob(problem, y, rows, setting, seed)

    def solve(self, problem: Problem, seed: int) -> Outcome:
        parts = folds(problem.y, np.random.RandomState(seed))
        scores = np.zeros((len(self.settings), 2))
        total = sum(held.numel() for _, held in parts)
        for train, held in parts:
            rows, weight = held.numpy(), held.numel() / total
            y = np.full_like(problem.y, -1)
            y[train.numpy()] = problem.y[train.numpy()]
            truth = problem.y[rows]
            for place, prob in enumerate(self.each(problem, y, rows, seed)):
                one = accuracy(prob, truth), nll(prob, truth)
                scores[place] += weight * np.array(one)
        best = max(
            range(len(scores)), key=lambda i: (scores[i, 0], -scores[i, 1])
        )
        chosen = self.settings[best]
        return Outcome(
            self.prob(problem, problem.y, problem.hidden, chosen, seed),
            text(chosen),
            [
                {'setting': text(setting), 'accuracy': acc, 'nll': loss}
                for setting, (acc, loss) in zip(
                    self.settings, scores.tolist(), strict=True
                )
            ],
        )

    @property
    def about(self) -> str:
        return f'{self.what}: {"; ".join(map(text, self.settings))}'


def text(setting: Setting) -> str:
    return ', '.join(f'{name}={value}' for name, value in setting.items())
