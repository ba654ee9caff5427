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
from torch_geometric_vgcn.estimators.settings import NoGraph, Setting
from torch_geometric_vgcn.estimators.task import Task

#: How often the network may be taught what the graph says.
ROUNDS = 3

Parts = Sequence[tuple[Tensor, Tensor]]


@dataclass
class Choice:
    r"""What held-out labels chose.

    Args:
        regularization (Regularization): That of the network.
        setting (Setting): The graph.
        field (Field, optional): The same, ready for use.
        rounds (int): How often the network is taught what the graph says.
        name (str): The choice in words.
        score (float): Its score on the labels that were held out.
        held (Tensor): The rows of these labels.
        predicted (Tensor): What was expected of them, without their labels.
        trials (list): All that was tried.
    """

    regularization: Regularization
    setting: Setting
    field: Field | None
    rounds: int
    name: str
    score: float
    held: Tensor
    predicted: Tensor
    trials: list[dict[str, Any]]


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
            alone[one] = [run.start(one) for run in self.runs]
        network = max(alone, key=lambda one: self._score(alone[one]))
        for one in regularizations if NoGraph() in settings else ():
            self._record(f'no graph, {one}', alone[one])
        best, found = None, []
        for setting in settings:
            if isinstance(setting, NoGraph):
                states, graph = alone[network], None
                name = f'no graph, {network}'
            else:
                name = str(setting)
                self.tell(name)
                graph = self.field(setting)
                states = self._all(alone[network], graph, 'infer')
                self._record(name, states)
            if best is None or self._score(states) > self._score(found):
                best, found = (setting, graph, name), states
        assert best is not None
        setting, graph, name = best
        rounds, states, plain = 0, found, name
        while graph is not None and rounds < ROUNDS:
            self.tell(f'{plain}, taught')
            states = self._all(states, graph, 'teach')
            taught = f'{plain}, network taught {rounds + 1} ×'
            self._record(taught, states)
            if not self._score(states) > self._score(found):
                break
            rounds, found, name = rounds + 1, states, taught
        return Choice(
            network,
            setting,
            graph,
            rounds,
            name,
            self._score(found)[1],
            self.held,
            self._held(found),
            self.trials,
        )

    def field(self, setting: Setting) -> Field | None:
        prior = setting.prior(self.task)
        if prior is None:
            return None
        return Field(prior, self.task.targets, self.learn)

    def _all(
        self, states: Sequence[Explained], graph: Field | None, step: str
    ) -> list[Explained]:
        return [
            getattr(run, step)(state, graph)
            for run, state in zip(self.runs, states, strict=True)
        ]

    def _score(self, states: Sequence[Explained]) -> tuple[float, float]:
        r"""The log-likelihood of all labels that were held out, which is
        less a matter of luck than the score, and then the score.
        """
        score, nll = self.task.targets.score(self._held(states), self.held)
        return -nll, score

    def _held(self, states: Sequence[Explained]) -> Tensor:
        r"""What was expected of the rows that were held out."""
        return torch.cat(
            [
                state.mean[rows]
                for state, (_, rows) in zip(states, self.parts, strict=True)
            ]
        )

    def _record(self, name: str, states: Sequence[Explained]) -> None:
        log_likelihood, score = self._score(states)
        named = self.task.targets.score_name
        self.trials.append(
            {'setting': name, named: score, 'nll': -log_likelihood}
        )
