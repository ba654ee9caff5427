import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torch_geometric_vgcn.estimators.alternation import (
    Alternation,
    Explained,
)
from torch_geometric_vgcn.estimators.field import Field
from torch_geometric_vgcn.estimators.network import Regularization
from torch_geometric_vgcn.estimators.settings import (
    Given,
    Nearest,
    NoGraph,
    Setting,
)
from torch_geometric_vgcn.estimators.task import Task

#: How often the network may be taught what the graph says.
ROUNDS = 3

Parts = Sequence[tuple[Tensor, Tensor]]


@dataclass
class Choice:
    r"""What held-out labels chose.

    Args:
        regularization (Regularization): That of the network.
        field (Field, optional): The graph.
        joins (Nearest, optional): The edges of rows that were not there in
            training: the best of what doesn't need a given graph.
        rounds (int): How often the network is taught what the graph says.
        name (str): The choice in words.
        score (float): Its score on the labels that were held out; NaN if
            there are none.
        held (Tensor): The rows of these labels.
        predicted (Tensor): What was expected of them, without their labels.
        trials (list): All that was tried.
    """

    regularization: Regularization
    field: Field | None
    joins: Nearest | None
    rounds: int
    name: str
    score: float
    held: Tensor
    predicted: Tensor
    trials: list[dict[str, Any]]


@dataclass
class Tried:
    r"""One of the settings, tried on all parts.

    Args:
        states (List[Explained]): What came of it in each part.
        held (Tensor): What was expected of the rows that were held out.
        score (Tuple[float, float]): The log-likelihood of their labels, which
            is less a matter of luck than the score, and then the score.
    """

    states: list[Explained]
    held: Tensor
    score: tuple[float, float]


class Chooser:
    r"""Chooses, on labels that are held out, the regularisation of the
    network, then the graph, then how often the network is taught.

    Args:
        task (Task): The features and the targets.
        parts (Sequence): Rows to train with and rows to hold out, in turn.
        learn (bool): Whether edges are learned.
        tell (Callable): Told what is tried next.
    """

    def __init__(
        self, task: Task, parts: Parts, learn: bool, tell: Callable[[str], Any]
    ) -> None:
        self.task = task
        self.parts = parts
        self.learn = learn
        self.tell = tell
        self.held = torch.cat([rows for _, rows in parts])
        self.runs = [Alternation(task, rows) for rows, _ in parts]
        self.trials: list[dict[str, Any]] = []

    def choose(
        self,
        regularizations: Sequence[Regularization],
        settings: Sequence[Setting],
    ) -> Choice:
        alone = {}
        for one in regularizations:
            self.tell(str(one))
            alone[one] = self._tried([run.start(one) for run in self.runs])
            if NoGraph() in settings:
                self._record(f'no graph, {one}', alone[one])
        network = max(alone, key=lambda one: alone[one].score)
        best, found = None, None
        scores = {}
        for setting in settings:
            if isinstance(setting, NoGraph):
                tried, graph = alone[network], None
                name = f'no graph, {network}'
            else:
                name = str(setting)
                self.tell(name)
                graph = field_of(setting, self.task, self.learn)
                tried = self._all(alone[network], graph, 'infer')
                self._record(name, tried)
            scores[setting] = tried.score
            if found is None or tried.score > found.score:
                best, found = (setting, graph, name), tried
        assert best is not None and found is not None
        setting, graph, name = best
        own = [one for one in settings if not isinstance(one, Given)]
        joined = max(own or [setting], key=lambda one: scores[one])
        rounds, tried, plain = 0, found, name
        while graph is not None and rounds < ROUNDS:
            self.tell(f'{plain}, taught')
            tried = self._all(tried, graph, 'teach')
            taught = _taught(plain, rounds + 1)
            self._record(taught, tried)
            if not tried.score > found.score:
                break
            rounds, found, name = rounds + 1, tried, taught
        return Choice(
            network,
            graph,
            joined.joins,
            rounds,
            name,
            found.score[1],
            self.held,
            found.held,
            self.trials,
        )

    def _all(self, tried: Tried, graph: Field | None, step: str) -> Tried:
        return self._tried(
            [
                getattr(run, step)(state, graph)
                for run, state in zip(self.runs, tried.states, strict=True)
            ]
        )

    def _tried(self, states: list[Explained]) -> Tried:
        held = torch.cat(
            [
                state.mean[rows]
                for state, (_, rows) in zip(states, self.parts, strict=True)
            ]
        )
        score, nll = self.task.targets.score(held, self.held)
        return Tried(states, held, (-nll, score))

    def _record(self, name: str, tried: Tried) -> None:
        log_likelihood, score = tried.score
        named = self.task.targets.score_name
        self.trials.append(
            {'setting': name, named: score, 'nll': -log_likelihood}
        )


def unchosen(
    task: Task, regularization: Regularization, setting: Setting, learn: bool
) -> Choice:
    r"""A setting as it is, where no label can be held out: those that train
    a network say nothing about how good it is.
    """
    return Choice(
        regularization,
        field_of(setting, task, learn),
        setting.joins,
        rounds=1,
        name=_taught(str(setting), 1),
        score=math.nan,
        held=torch.empty(0, dtype=torch.long),
        predicted=torch.empty(0, task.targets.width),
        trials=[],
    )


def field_of(setting: Setting, task: Task, learn: bool) -> Field | None:
    r"""The graph of a setting, if it has one."""
    prior = setting.prior(task)
    return None if prior is None else Field(prior, task.targets, learn)


def _taught(name: str, rounds: int) -> str:
    return f'{name}, network taught {rounds} ×'
