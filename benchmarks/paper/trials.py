r"""Trains systems, and appends each finished trial to a file of JSON lines, so
that an interrupted run resumes where it stopped.
"""

import itertools
import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from cases import Case
from experiment import Experiment
from scores import scores
from systems import SYSTEMS
from systems.base import blind
from tqdm import tqdm


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
    r"""The lines of a file by their keys. An incomplete line, of a run that
    was killed, is ignored.
    """
    rows = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            rows[name_of(row)] = row
    return rows


def name_of(row: Mapping[str, Any]) -> str:
    fields = ('dataset', 'graph', 'split', 'run', 'system', 'settings')
    return json.dumps([row[field] for field in fields])


def run(trials: list[Trial], path: Path, workers: int) -> None:
    r"""Trains all trials that aren't in the file yet. Each worker is a process
    with one thread.
    """
    done = read(path)
    trials = list({name_of(trial.key): trial for trial in trials}.values())
    missing = [trial for trial in trials if name_of(trial.key) not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        path.open('a') as file,
        one_thread_each(workers) as pool,
        tqdm(
            total=len(trials), initial=len(trials) - len(missing), desc='runs'
        ) as bar,
    ):
        if path.stat().st_size and not path.read_text().endswith('\n'):
            file.write('\n')
        jobs = [pool.submit(trial.train) for trial in missing]
        try:
            for job in as_completed(jobs):
                row = job.result()
                file.write(json.dumps(row) + '\n')
                file.flush()
                bar.set_postfix_str(f'{row["system"]}, {row["seconds"]} s')
                bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # cancels pending trials
            raise


def one_thread_each(workers: int) -> ProcessPoolExecutor:
    r"""Worker processes with one thread each."""
    os.environ['OMP_NUM_THREADS'] = '1'  # for the workers
    return ProcessPoolExecutor(
        workers, multiprocessing.get_context('spawn'), _one_thread
    )


def _one_thread() -> None:
    torch.set_num_threads(1)
