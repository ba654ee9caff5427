r"""The graphs that an estimator chooses from: each has a prior, and tells how
rows that were not there in training join it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.pairs import Candidates
from torch_geometric_vgcn.prior import ConstantPrior, EvidencePrior, Prior
from torch_geometric_vgcn.prior.base import logit


class Setting(ABC):
    @abstractmethod
    def prior(self, task: Task) -> Prior | None:
        r"""The prior of the edges, if there are any."""

    @property
    def joins(self) -> 'Nearest | None':
        r"""The edges of rows that were not there in training, if any."""
        return None


@dataclass(frozen=True)
class NoGraph(Setting):
    r"""Each row by its own features."""

    def prior(self, task: Task) -> None:
        return None

    def __str__(self) -> str:
        return 'no graph'


@dataclass(frozen=True)
class Nearest(Setting):
    r"""The nearest rows.

    Args:
        k (int): The number of neighbours.
        rho1 (float): The prior probability of an edge.
        evidence (float): The weight of similarity.
    """

    k: int
    rho1: float
    evidence: float = 2.0

    def prior(self, task: Task) -> Prior:
        pairs = Candidates(task.nearest(self.k), task.num_rows)
        return with_evidence(
            ConstantPrior(pairs, self.rho1), task, self.evidence
        )

    @property
    def joins(self) -> 'Nearest':
        return self

    def __str__(self) -> str:
        return f'{self.k} nearest rows, trusted by {self.rho1:g}'


@dataclass(frozen=True)
class Given(Setting):
    r"""The given graph, and perhaps the nearest rows, too.

    Args:
        rho1 (float): The prior probability of a given edge.
        evidence (float): The weight of similarity.
        nearest (Nearest): Further edges, and those of rows that were not
            there in training if nothing else was tried.
        both (bool): Whether the graph has these further edges.
    """

    rho1: float
    evidence: float
    nearest: Nearest
    both: bool = False

    def prior(self, task: Task) -> Prior:
        given = task.given
        if given is None:
            raise ValueError("'graph' must be given")
        if not self.both:
            pairs = Candidates(given, task.num_rows)
            prior: Prior = ConstantPrior(pairs, self.rho1)
        else:
            near = task.nearest(self.nearest.k)
            pairs = Candidates(torch.cat([given, near], 1), task.num_rows)
            value = torch.tensor(
                [logit(self.nearest.rho1), logit(self.rho1)],
                device=pairs.device,
            )
            prior = Prior(pairs, value[pairs.contains(given).long()])
        return with_evidence(prior, task, self.evidence)

    @property
    def joins(self) -> Nearest:
        return self.nearest

    def __str__(self) -> str:
        how = ' and by similarity' if self.evidence else ''
        more = f', and {self.nearest.k} nearest rows' if self.both else ''
        return f'the given graph, trusted by {self.rho1:g}{how}{more}'


def with_evidence(prior: Prior, task: Task, weight: float) -> Prior:
    r"""A prior with the similarity of rows as further evidence, if it has a
    weight.
    """
    if not weight:
        return prior
    assert isinstance(prior.pairs, Candidates)
    value = task.similarity(prior.pairs)
    return EvidencePrior(prior, value, weight, _as_given)


def _as_given(value: Tensor, pairs: object) -> Tensor:
    return value
