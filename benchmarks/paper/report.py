r"""From trials to results: the setting of the best validation accuracy is
chosen, then its test accuracy is looked up, once.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path

import matplotlib
import numpy as np
import reported
import torch
from cases import Case
from experiments import Experiment

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402


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


def accuracies(rows: list[dict], case: Case, system: str) -> np.ndarray:
    place = (case.dataset, case.graph, case.split, system)
    return np.array(
        [
            100 * row['test_acc']
            for row in rows
            if (row['dataset'], row['graph'], row['split'], row['system'])
            == place
        ]
    )


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


def box_plot(
    rows: list[dict],
    cases: tuple[Case, ...],
    systems: tuple[str, ...],
    path: Path,
) -> None:
    r"""A panel for each data set, a group of boxes for each graph, a box for
    each system, as in the paper.
    """
    datasets = list(dict.fromkeys(case.dataset for case in cases))
    graphs = max(
        sum(case.dataset == name for case in cases) for name in datasets
    )
    width = min(16.0, len(datasets) * (1.6 + 0.28 * len(systems) * graphs))
    figure, panels = plt.subplots(
        1,
        len(datasets),
        figsize=(max(4.0, width), 3.6),
        layout='constrained',
        squeeze=False,
    )
    colors = plt.get_cmap('tab20').colors
    for ax, name in zip(panels[0], datasets, strict=True):
        mine = [case for case in cases if case.dataset == name]
        step = len(systems) + 1.5
        for place, system in enumerate(systems):
            boxes = [accuracies(rows, case, system) for case in mine]
            where = [i * step + place for i in range(len(mine))]
            drawn = ax.boxplot(
                boxes,
                positions=where,
                widths=0.7,
                patch_artist=True,
                medianprops={'color': 'black'},
                flierprops={'markersize': 3},
                manage_ticks=False,
            )
            ours = system.startswith('VGCN')
            for box in drawn['boxes']:
                box.set_facecolor(colors[place % 20])
                box.set_alpha(1.0 if ours else 0.65)
                box.set_linewidth(1.6 if ours else 0.7)
        ax.set_title(name)
        if len(mine) == 1:
            ax.set_xticks(range(len(systems)), systems, rotation=40,
                          ha='right', rotation_mode='anchor')  # fmt: skip
        else:
            center = [i * step + (len(systems) - 1) / 2
                      for i in range(len(mine))]  # fmt: skip
            ax.set_xticks(center, [str(c).split(', ')[1] for c in mine])
        ax.grid(axis='y', alpha=0.3)
        ax.spines[['top', 'right']].set_visible(False)
    panels[0][0].set_ylabel('test accuracy, %')
    if any(sum(c.dataset == n for c in cases) > 1 for n in datasets):
        handles = [
            plt.Rectangle((0, 0), 1, 1, facecolor=colors[i % 20])
            for i in range(len(systems))
        ]
        figure.legend(
            handles, systems, loc='outside lower center', ncols=6,
            frameon=False,
        )  # fmt: skip
    figure.savefig(path, dpi=110)
    plt.close(figure)


def convergence_plot(
    rows: list[dict], systems: tuple[str, ...], path: Path
) -> None:
    r"""The validation accuracy of each epoch, mean over the runs of the first
    case.
    """
    figure, ax = plt.subplots(figsize=(5, 3.2), layout='constrained')
    first = (rows[0]['dataset'], rows[0]['graph'])
    for system in systems:
        runs = [
            row['history']
            for row in rows
            if row['system'] == system
            and (row['dataset'], row['graph']) == first
        ]
        if runs:
            length = min(map(len, runs))
            mean = np.mean([acc[:length] for acc in runs], axis=0)
            ax.plot(np.arange(1, length + 1), 100 * mean, label=system)
    ax.set(xlabel='epoch', ylabel='validation accuracy, %')
    ax.set_title(str(Case(*first)))
    ax.legend(frameon=False)
    ax.spines[['top', 'right']].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


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
