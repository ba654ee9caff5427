r"""How good the predictions are, on labels that were held out."""

from collections.abc import Sequence

import numpy as np

from torch_geometric_vgcn.report.charts import reliability
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.held_out import HeldOut
from torch_geometric_vgcn.report.markup import (
    count,
    interval,
    percent,
    plural,
    text,
)

#: How many classes a confusion matrix shows.
MOST = 20
#: Up to so many, their names are written side by side.
FEW = 6


def accuracy(findings: Findings) -> str:
    r"""One sentence about the accuracy."""
    held = findings.held_out
    if len(held) == 0:
        return 'No label was held out, so the accuracy is not known.'
    return (
        f'{plural(len(held), "label")} held out: '
        f'<strong>{percent(held.accuracy)}</strong> predicted correctly '
        f'(95 % interval {interval(*held.interval)}), mean negative '
        f'log-likelihood {held.nll:.3f}. {text(findings.caution)}'
    )


def quality(findings: Findings) -> str:
    r"""The confusion matrix and the calibration."""
    held = findings.held_out
    if len(held) == 0:
        return ''
    found = held.calibration
    return (
        '<div class="two">'
        '<figure><figcaption><h3>Confusion</h3><p>Held-out labels at '
        'the side, predicted classes at the top.</p></figcaption>'
        f'{_confusion(held, findings.classes)}</figure>'
        '<figure><figcaption><h3>Calibration</h3><p>How often predictions of '
        'some confidence are right, with 95 % intervals; on the dotted line '
        'they are as sure as they are right. Expected calibration error '
        f'{percent(found.error)}.</p></figcaption>'
        f'{reliability(found, "accuracy by confidence")}</figure>'
        '</div>'
    )


def _confusion(held: HeldOut, names: Sequence[str]) -> str:
    number, names = _largest(held.confusion, names)
    share = number / np.maximum(number.sum(axis=1, keepdims=True), 1)
    head = ''.join(
        f'<th scope="col"><span title="{text(name)}">{text(name)}</span></th>'
        for name in names
    )
    lines = []
    for row, name in enumerate(names):
        cells = ''.join(
            f'<td class="{"hit" if row == col else "miss"}'
            f'{" strong" if share[row, col] > 0.55 else ""}" '
            f'style="--share:{share[row, col]:.3f}">'
            f'{count(number[row, col]) if number[row, col] else ""}</td>'
            for col in range(len(names))
        )
        lines.append(
            f'<tr><th scope="row" title="{text(name)}">{text(name)}</th>'
            f'{cells}</tr>'
        )
    few = ' few' if len(names) <= FEW else ''
    return (
        f'<div class="scroll"><table class="confusion{few}"><thead><tr>'
        '<td></td>'
        f'{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def _largest(
    number: np.ndarray, names: Sequence[str]
) -> tuple[np.ndarray, Sequence[str]]:
    r"""The classes with most labels, and all others as one."""
    if len(names) <= MOST:
        return number, names
    order = np.argsort(-number.sum(axis=1), kind='stable')
    group = np.empty(len(names), dtype=int)
    group[order] = np.minimum(np.arange(len(names)), MOST - 1)
    merged = np.zeros((MOST, MOST), dtype=int)
    np.add.at(merged, (group[:, None], group[None]), number)
    kept = [names[place] for place in order[: MOST - 1]]
    return merged, [*kept, f'{len(names) - MOST + 1} others']
