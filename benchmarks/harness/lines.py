r"""A file of JSON lines, one for each finished trial, so that an interrupted
run resumes where it stopped.
"""

import json
import multiprocessing
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol

import torch
from tqdm import tqdm


class Trial(Protocol):
    r"""What can be trained: :obj:`train` returns a line that includes
    :obj:`key`, the :obj:`system` and its :obj:`seconds`.
    """

    @property
    def key(self) -> dict[str, Any]: ...

    def train(self) -> dict[str, Any]: ...


class JsonLines:
    r"""The lines of a file.

    Args:
        path (Path): The file, which need not exist.
        fields (Iterable[str]): The fields that identify a trial.
    """

    def __init__(self, path: Path, fields: Iterable[str]) -> None:
        self.path = path
        self.fields = tuple(fields)

    def name_of(self, row: Mapping[str, Any]) -> str:
        r"""What identifies a trial, as text."""
        return json.dumps([row[field] for field in self.fields])

    def read(self) -> dict[str, dict]:
        r"""The lines by their keys, the last of each. An incomplete line, of
        a run that was killed, is ignored.
        """
        rows = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    row = json.loads(line)
                except json.JSONDecodeError:
                    continue
                rows[self.name_of(row)] = row
        return rows

    def of(self, trials: Iterable[Trial]) -> list[dict]:
        r"""The lines of those trials that are in the file."""
        done = self.read()
        names = [self.name_of(trial.key) for trial in trials]
        return [done[name] for name in names if name in done]

    def missing(self, trials: Iterable[Trial]) -> list[Any]:
        r"""The trials that aren't in the file yet."""
        done = self.read()
        return [each for each in trials if self.name_of(each.key) not in done]

    def write(self, rows: Iterable[Mapping[str, Any]]) -> None:
        r"""Replaces the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = ''.join(json.dumps(row) + '\n' for row in rows)
        self.path.write_text(text)

    def run(self, trials: Iterable[Trial], workers: int) -> None:
        r"""Trains all trials that aren't in the file yet. Each worker is a
        process with one thread.
        """
        path = self.path
        every = {self.name_of(trial.key): trial for trial in trials}
        missing = self.missing(every.values())
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            path.open('a') as file,
            one_thread_each(workers) as pool,
            tqdm(
                total=len(every),
                initial=len(every) - len(missing),
                desc='runs',
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
