r"""Peak memory and processor time by number of rows."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markdown_table import table
from memory_child import OUT_OF_MEMORY
from tqdm import tqdm

#: The file of the figures.
FILE = 'tables-memory.json'
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
SYSTEMS = ('VGCN', 'LabelSpreading')
GIGABYTES, MINUTES = 8.0, 30.0


def measure(
    system: str,
    num_rows: int,
    gigabytes: float = GIGABYTES,
    minutes: float = MINUTES,
) -> dict[str, Any]:
    r"""The peak memory (with Python, the packages and the table) and the
    processor seconds of a process of its own, and its accuracy or the reason
    of its failure.
    """
    child = Path(__file__).with_name('memory_child.py')
    options = {
        '--system': system,
        '--rows': num_rows,
        '--gigabytes': gigabytes,
        '--seconds': int(60 * minutes),
    }
    words = [str(word) for pair in options.items() for word in pair]
    process = subprocess.Popen(
        [sys.executable, '-W', 'ignore', str(child), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, 'OMP_NUM_THREADS': '1'},
    )
    assert process.stdout and process.stderr
    with process.stdout as out, process.stderr as err:
        text, error = out.read(), err.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    row: dict[str, Any] = {
        'system': system,
        'rows': num_rows,
        'peak_mb': usage.ru_maxrss / 1024,  # if it can't tell by itself
        'seconds': usage.ru_utime + usage.ru_stime,
        **(json.loads(text.splitlines()[-1]) if text else {}),
    }
    if process.returncode:
        reason = _reason(process.returncode, error, gigabytes, minutes)
        row['failed'] = reason
    return row


def _reason(code: int, error: str, gigabytes: float, minutes: float) -> str:
    if code == OUT_OF_MEMORY or 'bad_alloc' in error or 'Memory' in error:
        return f'out of memory ({gigabytes:g} GB)'
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        killed = code == -signal.SIGKILL
        return 'killed' if killed else f'more than {minutes:g} minutes'
    raise RuntimeError(f'the measurement failed with code {code}: {error}')


def write(sizes: Iterable[int], systems: Iterable[str], folder: Path) -> str:
    r"""Measures, saves all figures, and returns a table in Markdown. Figures
    of systems and sizes that are not measured anew are kept.
    """
    path = folder / FILE
    rows = json.loads(path.read_text()) if path.exists() else []
    folder.mkdir(parents=True, exist_ok=True)
    todo = [(system, size) for size in sizes for system in systems]
    for system, size in tqdm(todo, desc='memory'):
        key = {'system': system, 'rows': size}
        rows = [row for row in rows if not key.items() <= row.items()]
        rows.append(measure(system, size))
        rows.sort(key=lambda row: (row['rows'], SYSTEMS.index(row['system'])))
        path.write_text(json.dumps(rows, indent=1) + '\n')
    return memory_table(rows)


def memory_table(rows: list[dict[str, Any]]) -> str:
    head = ['rows', 'system', 'peak MB', 'bytes per row', 'CPU seconds']
    lines = []
    for row in rows:
        peak = row['peak_mb']
        cells = [
            f'{row["rows"]:,}',
            row['system'],
            f'{peak:,.0f}',
            f'{2**20 * peak / row["rows"]:,.0f}',
            f'{row["seconds"]:,.0f}',
            row.get('failed') or f'{100 * row["accuracy"]:.1f}',
        ]
        lines.append(cells)
    return table([*head, 'accuracy, %'], lines)
