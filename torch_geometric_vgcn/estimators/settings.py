r"""The graphs that a classifier chooses from: each makes a model, and tells
how rows that were not there in training join it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from torch import Tensor

from torch_geometric_vgcn.estimators.task import Task
from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.posterior import ClassPosterior
from torch_geometric_vgcn.prior import EvidencePrior, Prior, SmoothedPrior


class Setting(ABC):
    @abstractmethod
    def model(self, task: Task) -> VariationalGraphLearner | FixedGraph:
        r"""The model before training."""

    @property
    def joins(self) -> 'Nearest | None':
        r"""The edges of rows that were not there in training, if any."""
        return None


@dataclass(frozen=True)
class NoGraph(Setting):
    r"""Each row by its own features."""

    def model(self, task: Task) -> FixedGraph:
        empty = task.y.new_empty(2, 0)
        return FixedGraph(task.network(), empty)

    def __str__(self) -> str:
        return 'no graph'


@dataclass(frozen=True)
class Nearest(Setting):
    r"""The graph of the nearest rows, learned.

    Args:
        k (int): The number of neighbours.
        rho1 (float): The prior probability of an edge.
        evidence (float): The weight of similarity.
    """

    k: int
    rho1: float
    evidence: float = 2.0

    def model(self, task: Task) -> VariationalGraphLearner:
        return _learner(task, task.nearest(self.k), self.rho1, self.evidence)

    @property
    def joins(self) -> 'Nearest':
        return self

    def __str__(self) -> str:
        return f'{self.k} nearest rows, trusted by {self.rho1:g}'


@dataclass(frozen=True)
class Given(Setting):
    r"""The given graph, learned.

    Args:
        rho1 (float): The prior probability of an edge.
        evidence (float): The weight of similarity.
        nearest (Nearest): The edges of further rows, which the given graph
            doesn't have.
    """

    rho1: float
    evidence: float
    nearest: Nearest

    def model(self, task: Task) -> VariationalGraphLearner:
        if task.edge_index is None:
            raise ValueError("'graph' must be given")
        return _learner(task, task.edge_index, self.rho1, self.evidence)

    @property
    def joins(self) -> Nearest:
        return self.nearest

    def __str__(self) -> str:
        how = ' and by similarity' if self.evidence else ''
        return f'the given graph, trusted by {self.rho1:g}{how}'


def _learner(
    task: Task, edge_index: Tensor, rho1: float, evidence: float
) -> VariationalGraphLearner:
    prior: Prior = SmoothedPrior(edge_index, task.num_rows, rho1)
    if evidence:
        value = task.similarity(prior)
        prior = EvidencePrior(prior, value, evidence, lambda x, pairs: x)
    posterior = ClassPosterior(task.num_classes)
    return VariationalGraphLearner(task.network(), prior, posterior)
