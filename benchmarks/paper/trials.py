r"""The trials of experiments: each trains a system."""

import itertools
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case
from experiment import Experiment
from json_lines import JsonLines
from scores import scores
from systems import SYSTEMS
from systems.base import blind

#: What identifies a trial.
FIELDS = ('dataset', 'graph', 'split', 'run', 'system', 'settings')


@dataclass(frozen=True)
class Trial:
    r"""One training run of a system, identified by its key."""

    case: Case
    run: int
    system: str
    settings: tuple[tuple[str, Any], ...]
    graph: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> dict[str, Any]:
        return {
            **asdict(self.case),
            'run': self.run,
            'system': self.system,
            'settings': {**dict(self.graph), **dict(self.settings)},
        }

    def train(self) -> dict[str, Any]:
        r"""Returns the line: the key, the validation accuracy of each epoch,
        the class that is predicted for each node, and scores. The system
        sees no test label; the scores do, after it has finished. They aren't
        looked at to choose a setting.
        """
        start = time.process_time()
        data = self.case.load(self.run, **dict(self.graph))
        system = by_title()[self.system]()
        outcome = system.train(blind(data), self.run, **dict(self.settings))
        seconds = time.process_time() - start
        return {
            **self.key,
            'val_acc': outcome.val_acc,
            'epoch': outcome.epoch,
            'seconds': round(seconds, 1),
            'history': [round(acc, 4) for acc in outcome.history],
            'classes': ''.join(map(str, outcome.prob.argmax(-1).tolist())),
            **scores(self.case, self.run, data, outcome),
        }


def by_title() -> dict[str, Any]:
    return {system.title: system for system in SYSTEMS}


def trials_of(
    experiment: Experiment,
    systems: Iterable[str],
    quick: bool,
    runs: int,
    all_graphs: bool = False,
    first: int = 0,
) -> list[Trial]:
    r"""All trials of an experiment. With :obj:`quick` there are one to three
    per case, run and system, times the settings that the experiment varies;
    otherwise one for each point of the grid. Runs are numbered from
    :obj:`first`.
    """
    cases = experiment.cases
    if quick and not all_graphs:
        cases = experiment.quick or cases
    out = []
    numbers = range(first, first + runs)
    for run, case, title in itertools.product(numbers, cases, systems):
        system = by_title()[title]
        if not experiment.fits(case, title):
            continue
        few = experiment.settings.get(title, (system.quick, *system.also))
        choices: list[tuple] = [
            ((), tuple({**settings, **dict(point)}.items()))
            for settings in few
            for point in points(experiment.vary)
        ]
        if not quick:
            choices = list(
                itertools.product(
                    points(case.grid),
                    points({**system.grid, **experiment.vary}),
                )
            )
        out += [
            Trial(case, run, title, settings, graph)
            for graph, settings in choices
            if experiment.tries(case, dict(settings))
        ]
    return out


def points(grid: Mapping[str, Iterable]) -> list[tuple[tuple[str, Any], ...]]:
    return [
        tuple(zip(grid, values, strict=True))
        for values in itertools.product(*grid.values())
    ]


def read(path: Path) -> dict[str, dict]:
    r"""The lines of a file by their keys."""
    return JsonLines(path, FIELDS).read()


def name_of(row: Mapping[str, Any]) -> str:
    return JsonLines(Path(), FIELDS).name_of(row)


def run(trials: list[Trial], path: Path, workers: int) -> None:
    r"""Trains all trials that aren't in the file yet."""
    JsonLines(path, FIELDS).run(trials, workers)
