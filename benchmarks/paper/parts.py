r"""The parts of a page: each function takes the page and returns Markdown."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import difference
from cases import Case
from figures import box_plot, choice_plot, convergence_plot
from markdown_table import table
from page import Page, mean_and_std


def accuracies(page: Page) -> str:
    r"""Mean ± standard deviation, the best mean in bold if the 95 % interval
    of its difference to each other system is above zero: one table, or one
    per data set if there are many graphs.
    """
    best = {case: clearly_best(page, case) for case in page.cases}

    def cell(case: Case, system: str) -> str:
        acc = page.accuracies(case, system)
        if acc.size == 0:
            return ''
        text = mean_and_std(acc)
        return f'**{text}**' if system == best[case] else text

    if len(page.cases) <= 4:
        return _table(page, {str(case): case for case in page.cases}, cell)
    return '\n\n'.join(
        f'**{group[0].dataset}**\n\n'
        + _table(page, {case.change: case for case in group}, cell)
        for group in page.by_dataset
    )


def clearly_best(page: Page, case: Case) -> str | None:
    r"""The system that is better than each other one by more than noise."""
    return difference.clearly_best(
        {name: page.scores(case, name, 'test_acc') for name in page.systems}
    )


def seconds(page: Page, shown: Callable[[str], str] = str) -> str:
    r"""The time of a training run, mean over all graphs of a data set."""

    def cell(dataset: str, system: str) -> str:
        key = {'dataset': dataset, 'system': system}
        times = [r['seconds'] for r in page.rows if key.items() <= r.items()]
        return f'{sum(times) / len(times):.0f}' if times else ''

    head = 'Processor seconds per training run, on one core:'
    columns = {case.dataset: case.dataset for case in page.cases}
    return f'{head}\n\n{_table(page, columns, cell, shown)}'


def _table(
    page: Page,
    columns: Mapping[str, Any],
    cell: Callable[[Any, str], str],
    shown: Callable[[str], str] = str,
) -> str:
    lines = []
    for system in page.systems:
        cells = [cell(column, system) for column in columns.values()]
        if any(cells):
            lines.append([shown(system), *cells])
    return table(['system', *columns], lines)


def boxes(page: Page) -> str:
    r"""A box plot."""
    box_plot(page, page.folder / f'{page.name}.png')
    return f'![Box plot]({page.name}.png)'


def convergence(page: Page, count: int = 1) -> str:
    r"""Validation accuracy against epochs on the first data sets."""
    out = []
    for place, case in enumerate(page.cases[:count]):
        name = f'{page.name}-convergence' + (f'-{place + 1}' if place else '')
        curves = {
            system: [row['history'] for row in page.rows_of(case, system)]
            for system in page.systems
        }
        convergence_plot(curves, str(case), page.folder / f'{name}.png')
        (page.folder / f'{name}.json').write_text(json.dumps(curves) + '\n')
        out += [
            f'![Accuracy against epochs]({name}.png)',
            f'The accuracies of all epochs are in [{name}.json]({name}.json).',
        ]
    return '\n\n'.join(out)


def choices(page: Page, name: str, values: Sequence[float]) -> str:
    r"""How often each value of a setting was chosen; values with the same
    validation accuracy share a choice.
    """
    count = dict.fromkeys(sorted(values), 0.0)
    for row in page.rows:
        for settings in row['as_good']:
            count[settings[name]] += 1 / len(row['as_good'])
    share = {value: n / len(page.rows) for value, n in count.items()}
    choice_plot(share, name, page.folder / f'{page.name}.png')
    lines = [(f'{value:g}', f'{part:.0%}') for value, part in share.items()]
    return (
        f'How often validation accuracy chose each {name}, of '
        f'{len(page.rows)} choices (tied values share one):\n\n'
        f'{table([name, "chosen"], lines)}\n\n'
        f'![Histogram]({page.name}.png)'
    )


def chosen(page: Page, names: Sequence[str]) -> str:
    r"""The settings that validation accuracy chose in each run."""
    lines = [
        [
            str(Case.of(row)),
            str(row['run']),
            *(f'{row["settings"][name]:g}' for name in names),
            f'{100 * row["val_acc"]:.1f}',
            str(row['tried']),
        ]
        for row in page.rows
    ]
    head = ['data', 'run', *names, 'validation accuracy', 'settings tried']
    return f'Chosen by validation accuracy:\n\n{table(head, lines)}'
