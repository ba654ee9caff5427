from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from problem import Problem

from torch_geometric_vgcn.analysis import calibration

#: Zero probabilities, which some systems predict, count as this much.
LEAST = 1e-6


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

    @abstractmethod
    def solve(self, problem: Problem, seed: int) -> Outcome:
        r"""Chooses a setting by the labels that are known, and predicts the
        others.
        """

    @property
    @abstractmethod
    def about(self) -> str:
        r"""What it is, and what it chooses from."""


def accuracy(prob: np.ndarray, y: np.ndarray) -> float:
    return float((prob.argmax(axis=1) == y).mean())


def ece(prob: np.ndarray, y: np.ndarray) -> float:
    r"""The expected calibration error in 15 bins."""
    prob = np.maximum(prob, LEAST)
    prob = torch.from_numpy(prob / prob.sum(axis=1, keepdims=True))
    every = torch.ones(y.size, dtype=torch.bool)
    return calibration(prob, torch.from_numpy(y), every, bins=15).error


def nll(prob: np.ndarray, y: np.ndarray) -> float:
    r"""The mean negative log-likelihood. A row without any probability
    counts as uniform.
    """
    prob = np.maximum(prob, LEAST)
    of_class = prob[np.arange(y.size), y] / prob.sum(axis=1)
    return float(-np.log(of_class).mean())
