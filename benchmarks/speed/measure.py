r"""How time and memory are measured."""

import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


def seconds(
    steps: dict[str, Callable[[], object]],
    repeat: int = 7,
    warm_up: int = 2,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    r"""The least time of each of several steps, which take turns so that a
    busy machine is busy for all of them: by default that of the processor.
    """
    for step in steps.values():  # caches fill, allocators grow
        for _ in range(warm_up):
            step()
    best = dict.fromkeys(steps, float('inf'))
    for _ in range(repeat):
        for name, step in steps.items():
            start = clock()
            step()
            best[name] = min(best[name], clock() - start)
    return best


def megabytes(step: Callable[[], object], warm_up: int = 0) -> float:
    r"""The memory that a step needs at its peak, on top of what was there."""
    for _ in range(warm_up):
        step()
    gc.collect()
    before = _status('VmRSS')
    try:
        Path('/proc/self/clear_refs').write_text('5')  # forgets the peak
    except OSError:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    step()
    return _status('VmHWM') - before


def peak() -> float:
    r"""The megabytes that this process needed at its peak, with all it
    holds.
    """
    return _status('VmHWM')


def _status(name: str) -> float:
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith(name + ':'):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f'/proc/self/status has no {name}')


def alone(script: str, *args: str, **env: str) -> Any:
    r"""What a script prints, as JSON, in a process of its own: only there a
    peak of memory is its own.
    """
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', script, *args],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, **env},
    )
    return json.loads(done.stdout.splitlines()[-1])


def machine() -> dict[str, object]:
    return {'torch': torch.__version__, 'threads': torch.get_num_threads()}
