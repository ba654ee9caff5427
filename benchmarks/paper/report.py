r"""From trials to results: the setting with the best validation accuracy is
chosen, then its test accuracy is looked up, once. Other scores come with the
trial and play no part in the choice.
"""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import torch
from cases import Case
from experiment import Experiment
from page import Page
from torch import Tensor


def select(trials: list[dict]) -> list[dict]:
    r"""For each case, run and system the trial with the best validation
    accuracy, with its test accuracy, the number of settings that were tried
    and all settings with the same validation accuracy.
    """
    groups = defaultdict(list)
    for row in trials:
        groups[Case.of(row), row['run'], row['system']].append(row)

    @cache  # shared by all systems
    def truth(case: Case, run: int) -> tuple[Tensor, Tensor]:
        data = case.labelled(run)
        return data.y, data.test_mask

    out = []
    for (case, run, _), rows in groups.items():
        best = dict(max(rows, key=lambda row: row['val_acc']))
        y, test_mask = truth(case, run)
        classes = torch.tensor([int(digit) for digit in best.pop('classes')])
        hit = (classes == y)[test_mask].double()
        best |= {
            'tried': len(rows),
            'as_good': [
                row['settings']
                for row in rows
                if row['val_acc'] == best['val_acc']
            ],
            'test_acc': float(hit.mean()),
        }
        out.append(best)
    return out


def write(
    name: str,
    experiment: Experiment,
    trials: list[dict],
    folder: Path,
    command: str,
) -> str:
    r"""Writes the page, the figures and the underlying results."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = select(trials)
    found = {Case.of(row) for row in rows}
    page = Page(
        name,
        folder,
        tuple(case for case in experiment.cases if case in found),
        tuple(dict.fromkeys(row['system'] for row in rows)),
        rows,
    )
    with (folder / f'{name}.jsonl').open('w') as file:
        for row in rows:
            kept = {k: v for k, v in row.items() if k != 'history'}
            file.write(json.dumps(kept) + '\n')
    runs = page.num_runs()
    how = f'mean ± standard deviation of {runs}' if page.several else runs
    text = [
        f'# {experiment.title}',
        *([experiment.lead(page)] if experiment.lead else []),
        f'Test accuracy, {how}, from `{command}`; the underlying results are '
        f'in [{name}.jsonl]({name}.jsonl).',
        experiment.table(page),
        *(part(page) for part in experiment.parts),
    ]
    (folder / f'{name}.md').write_text('\n\n'.join(text) + '\n')
    return '\n\n'.join(text)
