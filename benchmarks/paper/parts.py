r"""What a page may show: each takes the page and returns Markdown."""

import json
from collections import Counter
from collections.abc import Sequence

from cases import Case
from figures import beta_plot, box_plot, convergence_plot
from page import Page, mean_and_std


def tables(page: Page) -> str:
    r"""Test accuracies: one table, or one for each data set where there are
    many graphs.
    """
    if len(page.cases) <= 4:
        return _table(page, page.cases, [str(case) for case in page.cases])
    return '\n\n'.join(
        f'## {group[0].dataset}\n\n'
        + _table(page, group, [case.change for case in group])
        for group in page.by_dataset
    )


def _table(page: Page, cases: Sequence[Case], heads: list[str]) -> str:
    r"""Mean ± standard deviation; the best mean in bold."""
    lines = [
        f'| {" | ".join(["system", *heads])} |',
        '| --- ' * (1 + len(cases)) + '|',
    ]
    accs = {(c, s): page.accuracies(c, s) for c in cases for s in page.systems}
    best = {
        case: max(accs[case, s].mean() for s in page.systems
                  if accs[case, s].size)
        for case in cases
    }  # fmt: skip
    for system in page.systems:
        cells = []
        for case in cases:
            acc = accs[case, system]
            text = mean_and_std(acc) if acc.size else ''
            if acc.size and acc.mean() == best[case]:
                text = f'**{text}**'
            cells.append(text)
        if any(cells):
            lines.append(f'| {system} | {" | ".join(cells)} |')
    return '\n'.join(lines)


def boxes(page: Page) -> str:
    r"""A box plot."""
    box_plot(page, page.folder / f'{page.name}.png')
    return f'![Box plot]({page.name}.png)'


def convergence(page: Page) -> str:
    r"""Validation accuracy against epochs on the first data."""
    case, name = page.cases[0], f'{page.name}-convergence'
    curves = {
        system: [row['history'] for row in page.rows_of(case, system)]
        for system in page.systems
    }
    convergence_plot(curves, str(case), page.folder / f'{name}.png')
    (page.folder / f'{name}.json').write_text(json.dumps(curves) + '\n')
    return (
        f'![Accuracy against epochs]({name}.png)\n\n'
        f'The accuracies of all epochs are in [{name}.json]({name}.json).'
    )


def betas(page: Page) -> str:
    r"""How often each :math:`\beta` was chosen."""
    count = Counter(
        row['settings']['beta']
        for row in page.rows
        if row['tried'] > 1 and 'beta' in row['settings']
    )
    if not count:
        return ''
    share = {b: n / count.total() for b, n in sorted(count.items())}
    beta_plot(share, page.folder / f'{page.name}.png')
    lines = [
        f'How often validation accuracy chose each β, of {count.total()}:',
        '',
        '| β | chosen |',
        '| --- | --- |',
        *(f'| {b:g} | {part:.0%} |' for b, part in share.items()),
        '',
        f'![Histogram]({page.name}.png)',
    ]
    return '\n'.join(lines)
