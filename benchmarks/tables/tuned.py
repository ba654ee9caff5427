r"""How a system is chosen from a few settings by held-out labels."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from benchmarks.tables.data import Problem
from torch_geometric_vgcn.analysis import calibration

Setting = Mapping[str, Any]
#: Zero probabilities, which some systems predict, count as this much.
LEAST = 1e-6
#: With so many labels, one part of them is enough to choose by.
MANY = 1000


@dataclass
class Outcome:
    r"""What a system has made of a problem.

    Args:
        prob (numpy.ndarray): The class probabilities of the rows without a
            label.
        choice (str): The setting that was chosen, or the settings that have a
            weight.
        tried (List[dict]): For each :obj:`setting` its :obj:`accuracy` and
            :obj:`nll` on held-out labels.
    """

    prob: np.ndarray
    choice: str
    tried: list[dict[str, Any]]


class Contender(ABC):
    r"""A system: one column of the tables."""

    #: The name in tables.
    title: ClassVar[str]
    #: What it is, in words.
    about: str

    @abstractmethod
    def solve(self, problem: Problem, seed: int) -> Outcome:
        r"""Chooses a setting by the labels that are known, and predicts the
        others.
        """


class Tuned(Contender):
    r"""A system with a few settings, of which held-out labels choose one: by
    accuracy, then by likelihood.
    """

    #: What it is, without its settings.
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
        total = sum(held.size for held in parts)
        for held in parts:
            y = problem.y.copy()
            y[held] = -1
            truth = problem.y[held]
            for place, prob in enumerate(self.each(problem, y, held, seed)):
                one = accuracy(prob, truth), nll(prob, truth)
                scores[place] += held.size / total * np.array(one)
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


def folds(
    code: np.ndarray, rng: np.random.RandomState, num_folds: int = 4
) -> list[np.ndarray]:
    r"""The labelled rows to hold out in turn: all parts, or one if there are
    many labels. Each class has a row left to train with; if none has another
    one, there is no part.

    Args:
        code (numpy.ndarray): The classes of all rows, :obj:`-1` if unknown.
        rng (numpy.random.RandomState): The source of randomness.
        num_folds (int, optional): The number of parts.
            (default: :obj:`4`)
    """
    part = np.full(code.shape, -1)
    start = 0
    for c in range(code.max() + 1):
        rows = rng.permutation(np.flatnonzero(code == c))
        # A class's only row is always there to train with:
        if rows.size > 1:
            part[rows] = (start + np.arange(rows.size)) % num_folds
            start += rows.size
    out = [np.flatnonzero(part == number) for number in range(num_folds)]
    out = [rows for rows in out if rows.size]
    return out[:1] if (code >= 0).sum() >= MANY else out


def text(setting: Setting) -> str:
    return ', '.join(f'{name}={value}' for name, value in setting.items())


def accuracy(prob: np.ndarray, y: np.ndarray) -> float:
    return float((prob.argmax(axis=1) == y).mean())


def nll(prob: np.ndarray, y: np.ndarray) -> float:
    r"""The mean negative log-likelihood. A row without any probability
    counts as uniform.
    """
    prob = np.maximum(prob, LEAST)
    of_class = prob[np.arange(y.size), y] / prob.sum(axis=1)
    return float(-np.log(of_class).mean())


def ece(prob: np.ndarray, y: np.ndarray) -> float:
    r"""The expected calibration error in 15 bins."""
    prob = np.maximum(prob, LEAST)
    prob = torch.from_numpy(prob / prob.sum(axis=1, keepdims=True))
    every = torch.ones(y.size, dtype=torch.bool)
    return calibration(prob, torch.from_numpy(y), every, bins=15).error


def scores(prob: np.ndarray, y: np.ndarray) -> dict[str, float]:
    r"""What the line of a trial has of its test nodes or rows."""
    return {
        'test_acc': accuracy(prob, y),
        'test_nll': nll(prob, y),
        'test_ece': ece(prob, y),
    }
