r"""Parts of a page that compare a system with its controls, run by run."""

from collections.abc import Sequence

import numpy as np
from cases import Case
from difference import FEWEST, Difference
from markdown_table import table
from page import Page, mean_and_std

#: Each score's name, what it is multiplied by, and its digits.
SCORES = {
    'test_acc': ('Accuracy, %', 100, 2),
    'test_nll': ('Negative log-likelihood (NLL)', 1, 3),
    'test_ece': ('Expected calibration error (ECE)', 1, 3),
    'scaled_nll': ('NLL after temperature scaling', 1, 3),
    'scaled_ece': ('ECE after temperature scaling', 1, 3),
}
HOW = (
    'the mean of the paired differences over the runs with its 95 % '
    't-interval, in bold if that excludes 0'
)


def verdict(page: Page, system: str, control: str) -> str:
    r"""In which cases a system is better than its control, in words."""
    out = []
    for score, sign, name in (
        ('test_acc', 1, 'test accuracy'),
        ('scaled_nll', -1, 'NLL after temperature scaling'),
    ):
        kinds: dict[str, list[str]] = {'better': [], 'worse': [], 'equal': []}
        for case in page.cases:
            ours, theirs = (
                page.scores(case, title, score) for title in (system, control)
            )
            difference = Difference.of(ours, theirs)
            if difference is None or difference.runs < FEWEST:
                continue
            kind = 'better' if sign * difference.mean > 0 else 'worse'
            kind = kind if difference.is_clear else 'equal'
            kinds[kind].append(str(case))
        words = {
            'better': f'**{system} has better {name} than {control}** on',
            'worse': f'**{system} has worse {name} than {control}** on',
            'equal': f'No clear difference in {name} on',
        }
        out += [
            f'{words[kind]} {"; ".join(cases)}.'
            for kind, cases in kinds.items()
            if cases
        ]
    if not out:
        return (
            f'Fewer than {FEWEST} runs, too few to compare {system} with '
            f'{control}.'
        )
    return ' '.join(out) + (
        ' A difference is clear if its 95 % interval over paired runs '
        'excludes 0.'
    )


def paired(page: Page, system: str, control: str) -> str:
    r"""The means of both systems for each score and case, and their
    difference.
    """
    out = [f'{system} minus {control}: {HOW}.']
    for score, (name, factor, digits) in SCORES.items():
        lines = []
        for case in page.cases:
            ours, theirs = (
                page.scores(case, title, score, factor)
                for title in (system, control)
            )
            difference = Difference.of(ours, theirs)
            if difference is not None:
                means = [_mean(each, digits) for each in (ours, theirs)]
                lines.append([str(case), *means, difference.text(digits)])
        if lines:
            head = ['data', system, control, 'difference']
            out += [f'**{name}**', table(head, lines)]
    return '\n\n'.join(out)


def below_best(
    page: Page, systems: Sequence[str], others: Sequence[str]
) -> str:
    r"""How much better or worse a system is than the better one of others, by
    mean test accuracy.
    """
    lines = []
    for case in page.cases:
        accs = {
            title: page.scores(case, title, 'test_acc', 100)
            for title in (*systems, *others)
        }
        found = [title for title in others if accs[title]]
        if not found:
            continue
        best = max(found, key=lambda title: np.mean([*accs[title].values()]))
        lines += [
            [str(case), system, best, difference.text(2)]
            for system in systems
            if (difference := Difference.of(accs[system], accs[best]))
        ]
    head = ['data', 'system', f'best of {" and ".join(others)}', 'difference']
    return (
        f'Test accuracy in points, minus that of the best: {HOW}.\n\n'
        + table(head, lines)
    )


def recovery(page: Page) -> str:
    r"""How well the prior and the posterior tell true edges from others, for
    the systems that learn a graph.
    """
    lines = []
    for case in page.cases:
        for system in page.systems:
            parts = recovered(page, case, system)
            if parts:
                lines.append([str(case), system, *parts])
    head = ['data', 'system', 'prior AUC', 'posterior AUC', 'difference']
    head += ['prior AP', 'posterior AP', 'difference']
    return (
        'Recovery of the true edges: the area under the ROC curve (AUC) and '
        'the average precision (AP) of edge probabilities. With edges added, '
        'a pair is true if it is an edge of the true graph; without a graph, '
        'if both nodes have the same class, over pairs that are not both '
        f'training nodes. Posterior minus prior: {HOW}.\n\n'
        + table(head, lines)
    )


def recovered(
    page: Page,
    case: Case,
    system: str,
    scores: tuple[str, ...] = ('auc', 'ap'),
) -> list[str]:
    r"""For each score the means of prior and posterior and their difference,
    if the posterior was learned.
    """
    out = []
    learned = False
    for score in scores:
        before, after = (
            page.scores(case, system, f'{name}_{score}')
            for name in ('prior', 'posterior')
        )
        difference = Difference.of(after, before)
        if difference is None:
            return []
        learned = learned or before != after
        out += [_mean(before, 3), _mean(after, 3), difference.text(3)]
    return out if learned else []


def against_controls(
    page: Page, system: str = 'Recipe: learned', family: str = 'Recipe: '
) -> str:
    r"""The accuracies of a family of systems, with the difference of one of
    them to each other.
    """
    controls = [
        title
        for title in page.systems
        if title.startswith(family)
        and title != system
        and ', trust' not in title  # of another setting: no control
    ]
    lines = []
    for case in page.cases:
        ours = page.scores(case, system, 'test_acc', 100)
        cells = [_with_std(ours)]
        for control in controls:
            theirs = page.scores(case, control, 'test_acc', 100)
            difference = Difference.of(ours, theirs)
            cell = [_with_std(theirs)]
            cell += [difference.text(2)] if difference else []
            cells.append('<br>'.join(cell))
        lines.append([str(case), *cells])
    names = [title.removeprefix(family) for title in (system, *controls)]
    return (
        f'Test accuracy in %; below it the difference of {system} to each '
        f'control: {HOW}.\n\n' + table(['data', *names], lines)
    )


def _mean(values: dict[int, float], digits: int) -> str:
    return f'{np.mean(list(values.values())):.{digits}f}'


def _with_std(values: dict[int, float]) -> str:
    return mean_and_std(np.array(list(values.values()))) if values else ''
