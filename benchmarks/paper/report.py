r"""From trials to results: the setting of the best validation accuracy is
chosen, then its test accuracy is looked up, once.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path

import reported
import torch
from cases import Case
from experiments import Experiment
from figures import accuracies, box_plot, convergence_plot


def select(trials: list[dict]) -> list[dict]:
    r"""For each case, run and system the trial of the best validation
    accuracy, with its test accuracy.
    """
    groups = defaultdict(list)
    for row in trials:
        case = Case(row['dataset'], row['graph'], row['split'])
        groups[case, row['run'], row['system']].append(row)
    out = []
    for (case, run, _), rows in groups.items():
        best = max(rows, key=lambda row: row['val_acc'])
        data = case.load(run)
        predicted = torch.tensor([int(digit) for digit in best['classes']])
        hit = (predicted == data.y)[data.test_mask].double()
        kept = {k: v for k, v in best.items() if k not in ('classes',)}
        kept['tried'] = len(rows)
        out.append({**kept, 'test_acc': float(hit.mean())})
    return out


def table(
    rows: list[dict], cases: tuple[Case, ...], systems: tuple[str, ...]
) -> str:
    r"""Test accuracy, mean ± standard deviation; the best mean in bold."""
    head = [f'| {" | ".join(["system", *map(str, cases)])} |']
    head.append('| --- ' * (1 + len(cases)) + '|')
    best = {
        case: max(
            (acc.mean() for s in systems
             if (acc := accuracies(rows, case, s)).size),
            default=0.0,
        )
        for case in cases
    }  # fmt: skip
    for system in systems:
        cells = []
        for case in cases:
            acc = accuracies(rows, case, system)
            if acc.size == 0:
                cells.append('')
                continue
            std = acc.std(ddof=min(1, acc.size - 1))
            text = f'{acc.mean():.1f} ± {std:.1f}'
            if acc.mean() == best[case]:
                text = f'**{text}**'
            cells.append(text)
        head.append(f'| {system} | {" | ".join(cells)} |')
    return '\n'.join(head)


def beta_table(rows: list[dict]) -> str:
    r"""How often each :math:`\beta` was chosen."""
    count = Counter(
        row['settings']['beta']
        for row in rows
        if row['tried'] > 1 and 'beta' in row['settings']
    )
    total = sum(count.values())
    lines = ['| β | chosen |', '| --- | --- |']
    lines += [f'| {b:g} | {n / total:.0%} |' for b, n in sorted(count.items())]
    return '\n'.join(lines) if total else ''


def write(
    name: str,
    experiment: Experiment,
    trials: list[dict],
    folder: Path,
    command: str,
) -> str:
    r"""The page, the figure and the lines behind them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = select(trials)
    found = {(r['dataset'], r['graph'], r['split']) for r in rows}
    cases = tuple(
        case for case in experiment.cases
        if (case.dataset, case.graph, case.split) in found
    )  # fmt: skip
    systems = tuple(dict.fromkeys(row['system'] for row in rows))
    with (folder / f'{name}.jsonl').open('w') as file:
        for row in rows:
            if name != 'discrete':
                row = {k: v for k, v in row.items() if k != 'history'}
            file.write(json.dumps(row) + '\n')
    box_plot(rows, cases, systems, folder / f'{name}.png')
    runs = 1 + max(row['run'] for row in rows)
    text = [
        f'# {experiment.title}',
        '',
        f'Test accuracy, mean ± standard deviation of {runs} '
        f'run{"s" if runs > 1 else ""}, from `{command}`; the lines behind '
        f'it are in [{name}.jsonl]({name}.jsonl).',
        '',
        table(rows, cases, systems),
        '',
        f'![Box plot]({name}.png)',
    ]
    if name == 'discrete':
        convergence_plot(rows, systems, folder / 'convergence.png')
        text += ['', '![Accuracy against epochs](convergence.png)']
    if name == 'reported':
        text += ['', reported.table(rows)]
    if betas := beta_table(rows):
        text += ['', 'The β that validation accuracy chose:', '', betas]
    (folder / f'{name}.md').write_text('\n'.join(text) + '\n')
    return '\n'.join(text)
