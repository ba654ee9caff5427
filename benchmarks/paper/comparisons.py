r"""Parts of a page that compare a system with its controls, run by run."""

import numpy as np

from benchmarks.harness.difference import FEWEST, Difference
from benchmarks.harness.results import Results, mean_and_std, table
from benchmarks.paper.cases import Case

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


def verdict(results: Results, system: str, control: str) -> str:
    r"""In which cases a system is better than its control, in words."""
    out = []
    for score, sign, name in (
        ('test_acc', 1, 'test accuracy'),
        ('scaled_nll', -1, 'NLL after temperature scaling'),
    ):
        kinds: dict[str, list[str]] = {'better': [], 'worse': [], 'equal': []}
        for case in results.data:
            ours, theirs = (
                results.scores(case, title, score)
                for title in (system, control)
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


def paired(results: Results, system: str, control: str) -> str:
    r"""The means of both systems for each score and case, and their
    difference.
    """
    out = [f'{system} minus {control}: {HOW}.']
    for score, (name, factor, digits) in SCORES.items():
        lines = []
        for case in results.data:
            ours, theirs = (
                results.scores(case, title, score, factor)
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


def recovery(results: Results) -> str:
    r"""How well the prior and the posterior tell true edges from others, for
    the systems that learn a graph.
    """
    lines = []
    for case in results.data:
        for system in results.systems:
            parts = recovered(results, case, system)
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
    results: Results,
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
            results.scores(case, system, f'{name}_{score}')
            for name in ('prior', 'posterior')
        )
        difference = Difference.of(after, before)
        if difference is None:
            return []
        learned = learned or before != after
        out += [_mean(before, 3), _mean(after, 3), difference.text(3)]
    return out if learned else []


def against_controls(
    results: Results, system: str = 'Recipe: learned', family: str = 'Recipe: '
) -> str:
    r"""The accuracies of a family of systems, with the difference of one of
    them to each other.
    """
    controls = [
        title
        for title in results.systems
        if title.startswith(family)
        and title != system
        and ', trust' not in title  # of another setting: no control
    ]
    lines = []
    for case in results.data:
        ours = results.scores(case, system, factor=100)
        cells = [_with_std(ours)]
        for control in controls:
            theirs = results.scores(case, control, factor=100)
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


#: The setting of each suffix of a system's name.
SETTINGS = {
    '': 'trust 0.1, evidence 2',
    ', trust 0.5': 'trust 0.5, evidence 4',
    ', trust 0.99': 'trust 0.99, evidence 2',
}


def settings_of_trust(results: Results) -> str:
    r"""The mean accuracy of learned and frozen for each setting, their
    difference, and how much depends on the setting.
    """
    lines = []
    for case in results.data:
        means: dict[str, list[float]] = {'learned': [], 'frozen': []}
        differences = []
        for suffix in SETTINGS:
            accs = [
                results.scores(case, f'Recipe: {kind}{suffix}', factor=100)
                for kind in means
            ]
            difference = Difference.of(*accs)
            if difference is None:
                break
            for kind, acc in zip(means, accs, strict=True):
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


def by_share(results: Results) -> str:
    r"""Learned minus frozen accuracy against the share of labels."""
    shares = sorted({case.share for case in results.data})
    cells: dict[tuple[str, str], dict[float, str]] = {}
    for case in results.data:
        for prior, suffix in (('evidence', ''), ('smoothed', ', smoothed')):
            difference = Difference.of(
                *(
                    results.scores(case, f'Recipe: {kind}{suffix}', factor=100)
                    for kind in ('learned', 'frozen')
                )
            )
            if difference is not None:
                row = str(Case(case.dataset, case.graph)), prior
                cells.setdefault(row, {})[case.share] = difference.text(2)
    head = ['data', 'prior', *(f'{100 * share:g} %' for share in shares)]
    lines = [
        [*row, *(each.get(share, '') for share in shares)]
        for row, each in cells.items()
    ]
    return (
        'Accuracy in %, learned minus frozen, by the share of training '
        'nodes: the mean over the runs with its 95 % t-interval, in bold if '
        f'that excludes 0.\n\n{table(head, lines)}'
    )
