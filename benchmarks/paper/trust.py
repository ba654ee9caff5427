r"""The part of a page that compares settings of trust."""

import numpy as np
from difference import Difference
from markdown_table import table
from page import Page

#: The setting of each suffix of a system's name.
SETTINGS = {
    '': 'trust 0.1, evidence 2',
    ', trust 0.5': 'trust 0.5, evidence 4',
    ', trust 0.99': 'trust 0.99, evidence 2',
}


def settings_of_trust(page: Page) -> str:
    r"""The mean accuracy of learned and frozen for each setting, their
    difference, and how much depends on the setting.
    """
    lines = []
    for case in page.cases:
        means: dict[str, list[float]] = {'learned': [], 'frozen': []}
        differences = []
        for suffix in SETTINGS:
            ours, theirs = (
                page.scores(case, f'Recipe: {kind}{suffix}', 'test_acc', 100)
                for kind in means
            )
            difference = Difference.of(ours, theirs)
            if difference is None:
                break
            for kind, acc in zip(means, (ours, theirs), strict=True):
                means[kind].append(float(np.mean([*acc.values()])))
            differences.append(difference.text(2))
        else:
            for kind, values in means.items():
                cells = [f'{value:.1f}' for value in values]
                spread = max(values) - min(values)
                lines.append([str(case), kind, *cells, f'{spread:.1f}'])
            lines.append([str(case), 'difference', *differences, ''])
    if not lines:
        return ''
    head = ['data', 'posterior', *SETTINGS.values(), 'spread']
    return (
        'How much depends on the choice of trust: mean test accuracy in %, '
        'learned minus frozen with the 95 % t-interval of paired runs (bold '
        'if it excludes 0), and the spread of the means over settings.\n\n'
        + table(head, lines)
    )
