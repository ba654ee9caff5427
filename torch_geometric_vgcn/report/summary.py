r"""What was chosen and why, and how large everything is."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.held_out import wilson
from torch_geometric_vgcn.report.markup import (
    chip,
    count,
    interval,
    percent,
    plural,
    text,
)


def facts(findings: Findings) -> str:
    r"""The most important numbers, as a list of terms."""
    held, edges = findings.held_out, findings.edges
    rows = [
        ('Rows', count(findings.num_rows), ''),
        (
            'Labels',
            count(int((findings.label >= 0).sum())),
            plural(len(findings.classes), 'class'),
        ),
    ]
    if len(held) > 0:
        told = f'95 % interval {interval(*held.interval)}'
        rows.append(('Accuracy, held out', percent(held.accuracy), told))
    if edges.candidate.any():
        before = int((edges.prior >= 0.5).sum())
        after = int((edges.posterior >= 0.5).sum())
        candidates = int(edges.candidate.sum()) + findings.left_out
        rows += [
            ('Candidate edges', count(candidates), ''),
            ('Likelier than not', count(after), f'{count(before)} before'),
        ]
    return ''.join(
        f'<div><dt>{text(term)}</dt><dd>{text(value)}'
        f'<small>{text(note)}</small></dd></div>'
        for term, value, note in rows
    )


def choice(findings: Findings) -> str:
    r"""The settings that were tried, and how the model was made."""
    title, parts = 'How the model was made', []
    if findings.choice:
        title = 'What was chosen, and why'
        parts.append(f'<p>{_why(findings)}</p>')
    if findings.weighed:
        title = 'The members and their weights'
        parts.append(f'<p>{_weighed(findings)}</p>')
    if len(findings.trials) > 1:
        parts.append(_trials(findings))
    terms = ''.join(
        f'<div><dt>{text(term)}</dt><dd><code>{text(value)}</code></dd></div>'
        for term, value in findings.settings.items()
    )
    parts.append(f'<dl class="settings">{terms}</dl>')
    return f'<h2>{title}</h2>{"".join(parts)}'


def _why(findings: Findings) -> str:
    chosen = f'<strong>{text(_sentence(findings.choice))}</strong>'
    if not findings.trials:
        return (
            f'{chosen} is the default: no class has two labels, so none could '
            'be held out to choose by.'
        )
    others = [
        trial
        for trial in findings.trials
        if trial['setting'] != findings.choice
    ]
    if not others:
        return f'{chosen}. No other setting was tried.'
    best = min(others, key=lambda trial: trial['nll'])
    return (
        f'{chosen} was chosen among {len(others) + 1} settings by the '
        f'likelihood of {plural(len(findings.held_out), "label")} that were '
        'held out, which is less a matter of luck than the accuracy. The '
        f'next one, {text(best["setting"])}, has an accuracy of '
        f'{percent(best["accuracy"])}. '
        'The same labels chose, fitted the temperature of each setting, and '
        'measured, so these figures are slightly optimistic.'
    )


def _weighed(findings: Findings) -> str:
    used = sum(trial['weight'] > 0 for trial in findings.trials)
    return (
        f'Predictions and edges are weighted means of '
        f'{plural(used, "member")}, of {len(findings.trials)} that were '
        'trained: each has its own graph or network. With these weights, '
        f'{plural(len(findings.held_out), "label")} that were held out are '
        'most likely. The row “no graph” tells what the features can do alone.'
    )


def _trials(findings: Findings) -> str:
    r"""A line for each setting, with its accuracy as a point and its 95 %
    interval.
    """
    size = len(findings.held_out)
    values = [trial['accuracy'] for trial in findings.trials]
    bounds = [wilson(round(value * size), size) for value in values]
    least = min(low for low, _ in bounds) - 0.01
    scale = 100 / (max(high for _, high in bounds) + 0.01 - least)
    first = '<th scope="col">Setting</th>'
    if findings.weighed:
        first = (
            '<th scope="col">Member</th><th scope="col">Weight '
            '<small>standard error</small></th>'
        )
    lines = []
    for trial, value, (low, high) in zip(
        findings.trials, values, bounds, strict=True
    ):
        mine = trial['setting'] == findings.choice
        lines.append(
            f'<tr{" class=chosen" if mine else ""}>'
            f'<th scope="row">{text(_sentence(trial["setting"]))}'
            f'{" <em>chosen</em>" if mine else ""}</th>'
            f'{_weight(findings, trial)}'
            '<td class="plot" aria-hidden="true"><span class="range">'
            f'<i style="left:{scale * (low - least):.1f}%;'
            f'width:{scale * (high - low):.1f}%"></i>'
            f'<b style="left:{scale * (value - least):.1f}%"></b></span></td>'
            f'<td>{percent(value)} <small>{interval(low, high)}</small></td>'
            f'<td>{trial["nll"]:.3f}</td></tr>'
        )
    return (
        '<div class="scroll"><table class="trials"><thead><tr>'
        f'{first}<th class="plot"></th>'
        '<th scope="col">Accuracy <small>95 % interval</small></th>'
        '<th scope="col"><abbr title="mean negative log-likelihood">NLL'
        f'</abbr></th></tr></thead><tbody>{"".join(lines)}</tbody>'
        '</table></div>'
    )


def _weight(findings: Findings, trial: Mapping[str, Any]) -> str:
    if not findings.weighed:
        return ''
    error = f' <small>± {trial["weight_se"]:.2f}</small>'
    return f'<td>{trial["weight"]:.2f}{error if trial["weight"] else ""}</td>'


def classes(findings: Findings) -> str:
    r"""How many rows have each class: those with a label, and those without,
    and how sure the predictions of the latter are.
    """
    number = len(findings.classes)
    rest = findings.label < 0
    known = np.bincount(findings.label[~rest], minlength=number)
    predicted = findings.predicted[rest]
    found = np.bincount(predicted, minlength=number)
    total = np.bincount(predicted, findings.confidence[rest], minlength=number)
    lines = ''.join(
        f'<tr><td data-value="{text(name)}">{chip(findings, place)}</td>'
        f'{_number(known[place])}{_number(found[place])}'
        f'<td>{_mean(total[place], found[place])}</td></tr>'
        for place, name in enumerate(findings.classes)
    )
    head = ('Class', 'Labels', 'Predicted', 'Mean confidence')
    columns = ''.join(f'<th scope="col">{text(name)}</th>' for name in head)
    return (
        '<div class="scroll tall"><table class="sortable classes"><thead><tr>'
        f'{columns}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _number(value: int) -> str:
    return f'<td data-value="{value}">{count(value)}</td>'


def _mean(total: float, number: int) -> str:
    return percent(total / number) if number > 0 else '–'
