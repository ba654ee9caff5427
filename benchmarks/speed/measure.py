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


def seconds(
    steps: dict[str, Callable[[], object]], repeat: int = 7, warm_up: int = 2
) -> dict[str, float]:
    r"""The shortest time of each of several steps, in processor time.
    The steps alternate, so that other load affects all of them.
    """
    for step in steps.values():  # fills caches and allocators
        for _ in range(warm_up):
            step()
    best = dict.fromkeys(steps, float('inf'))
    for _ in range(repeat):
        for name, step in steps.items():
            start = time.process_time()
            step()
            took = time.process_time() - start
            best[name] = min(best[name], took)
    return best


def megabytes(step: Callable[[], object]) -> float:
    r"""The peak memory of a step, in addition to the memory in use before."""
    gc.collect()
    before = _status('VmRSS')
    try:
        Path('/proc/self/clear_refs').write_text('5')  # resets the peak
    except OSError:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    step()
    return _status('VmHWM') - before


def peak() -> float:
    r"""The peak memory of this process in MB."""
    return _status('VmHWM')


def _status(name: str) -> float:
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith(name + ':'):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f'/proc/self/status has no {name}')


def alone(module: str, *args: str, **env: str) -> Any:
    r"""The JSON output of a module, run in a separate process, so that it has
    its own memory peak.
    """
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-m', module, *args],
        check=True,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, **env},
    )
    return json.loads(done.stdout.splitlines()[-1])
