from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.utils import coalesce

from torch_geometric_vgcn.checks import check_kind
from torch_geometric_vgcn.nearest import Metric
from torch_geometric_vgcn.recipe.task import Task


class Source(ABC):
    r"""Where the graph of a member comes from. Sources add up:
    :obj:`GivenGraph() + NearestNeighbors()` is the union.
    """

    @abstractmethod
    def __call__(self, task: Task) -> Tensor:
        r"""The edges, in both directions, of shape :obj:`[2, E]`."""

    def check(self, task: Task) -> None:
        r"""Raises an error if there is no such graph."""

    def __add__(self, other: 'Source') -> 'Union':
        check_kind(other, Source, 'other')
        return Union(self, other)


@dataclass(frozen=True)
class NoGraph(Source):
    r"""No edge at all."""

    def __call__(self, task: Task) -> Tensor:
        return torch.empty(2, 0, dtype=torch.long, device=task.x.device)


@dataclass(frozen=True)
class GivenGraph(Source):
    r"""The graph of the data."""

    def check(self, task: Task) -> None:
        if task.edge_index is None:
            raise ValueError(
                "'members' must not use GivenGraph() for data without a "
                "graph: give 'data.edge_index', or use NearestNeighbors()"
            )

    def __call__(self, task: Task) -> Tensor:
        self.check(task)
        assert task.edge_index is not None
        return task.edge_index


@dataclass(frozen=True)
class NearestNeighbors(Source):
    r"""The nodes of the nearest features.

    Args:
        k (int, optional): The number of neighbours. (default: that of the
            kind of features)
        metric (Metric, optional): What makes nodes near to each other.
            (default: that of the kind of features)
    """

    k: int | None = None
    metric: Metric | None = None

    def __call__(self, task: Task) -> Tensor:
        k = task.features.k if self.k is None else self.k
        metric = task.features.metric if self.metric is None else self.metric
        return task.neighbors(k, metric)

    def __repr__(self) -> str:
        given = {'k': self.k, 'metric': self.metric}
        text = [f'{k}={v!r}' for k, v in given.items() if v is not None]
        return f'{type(self).__name__}({", ".join(text)})'


@dataclass(frozen=True)
class Union(Source):
    r"""The edges of two sources.

    Args:
        first (Source): The one.
        second (Source): The other.
    """

    first: Source
    second: Source

    def check(self, task: Task) -> None:
        self.first.check(task)
        self.second.check(task)

    def __call__(self, task: Task) -> Tensor:
        edges = [self.first(task), self.second(task)]
        return coalesce(torch.cat(edges, dim=1), num_nodes=task.num_nodes)

    def __repr__(self) -> str:
        return f'{self.first!r} + {self.second!r}'
