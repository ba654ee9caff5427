r"""What became of the edges."""

import numpy as np

from torch_geometric_vgcn.report.charts import histogram
from torch_geometric_vgcn.report.findings import Findings
from torch_geometric_vgcn.report.markup import (
    chip,
    count,
    percent,
    plural,
    probability,
    signed,
    text,
)

#: How many edges a table lists.
LISTED = 50
#: By how much a probability must change to count.
MOVED = 0.02


def graph(findings: Findings) -> str:
    r"""The histograms and the tables of edges."""
    edges = findings.edges
    if not edges.candidate.any():
        return f'<p>{_why_none(findings)}</p>'
    distrusted = 'Edges that lost most'
    if edges.uses_given:
        distrusted = f'Most distrusted {findings.source} edges'
    strongest = 'Edges that gained most'
    if edges.has_new:
        strongest = 'Strongest new edges'
    return (
        f'<p>{_words(findings)}</p><div class="two">{_numbers(findings)}'
        f'{_histograms(findings)}</div><div class="two">'
        f'{_table(findings, distrusted, edges.most_distrusted(LISTED))}'
        f'{_table(findings, strongest, edges.strongest(LISTED))}</div>'
    )


def _why_none(findings: Findings) -> str:
    r"""Why there is no edge to show."""
    if findings.chose_no_graph:
        return (
            'No graph was chosen: the held-out labels were predicted best '
            'from each row’s own features.'
        )
    if findings.left_out > 0:
        return (
            f'Of {plural(findings.left_out, "pair")}, none has a probability '
            'of 1 % or more, before or after learning.'
        )
    return 'No edges were considered.'


def _words(findings: Findings) -> str:
    edges = findings.edges
    given = int(edges.given.sum())
    if given > 0:
        told = (
            f'The given graph ({plural(given, "edge")}) was not chosen: '
            'the held-out labels were predicted better without it.'
        )
        if edges.uses_given:
            kept = int((edges.given & (edges.posterior >= 0.5)).sum())
            told = (
                f'Of {plural(given, f"{findings.source} edge")}, '
                f'{count(kept)} are likelier than not after learning.'
            )
        new = edges.candidate & ~edges.given
        considered = int(new.sum()) + findings.left_out
        if considered > 0:
            strong = int((new & (edges.posterior >= 0.5)).sum())
            told += (
                f' {plural(considered, "new edge")} were considered, '
                f'{count(strong)} of them are likelier than not.'
            )
    else:
        told = (
            'Each candidate edge has a probability before (the prior) and '
            'after learning (the posterior).'
        )
        if findings.source == 'given':
            told = f'No graph was given. {told}'
    if findings.left_out > 0:
        told += (
            f' {plural(findings.left_out, "other pair")} of less than 1 % '
            'before and after are left out of what follows.'
        )
    return told


def _numbers(findings: Findings) -> str:
    r"""The graph before and after learning, in numbers."""
    edges = findings.edges
    left, right = findings.predicted[edges.index]
    within = left == right
    lines = {
        'Edges likelier than not': lambda p: count(int((p >= 0.5).sum())),
        'Expected number of edges': lambda p: count(round(p.sum())),
        'Expected edges per row': lambda p: (
            f'{2 * p.sum() / findings.num_rows:.1f}'
        ),
        'Share between rows of one predicted class': lambda p: percent(
            p[within].sum() / max(p.sum(), 1e-300)
        ),
    }
    body = ''.join(
        f'<tr><th scope="row">{name}</th><td>{value(edges.prior)}</td>'
        f'<td>{value(edges.posterior)}</td></tr>'
        for name, value in lines.items()
    )
    up, down = (int((sign * edges.change > MOVED).sum()) for sign in (1, -1))
    whole = ' class="whole"' if edges.has_new else ''
    return (
        f'<figure{whole}><figcaption><h3>In numbers</h3></figcaption>'
        '<div class="scroll"><table><thead><tr><td></td>'
        '<th scope="col">Before</th><th scope="col">Learned</th></tr></thead>'
        f'<tbody>{body}</tbody></table></div>'
        f'<p class="legend">{count(up)} edges became likelier by more than '
        f'{MOVED:g}, {count(down)} less likely.</p></figure>'
    )


def _histograms(findings: Findings) -> str:
    edges = findings.edges
    kinds = {'All candidate edges': edges.candidate}
    if edges.has_new:
        kinds = {
            f'{findings.source.capitalize()} edges': edges.candidate
            & edges.given,
            'New edges': edges.candidate & ~edges.given,
        }
    legend = (
        '<p class="legend"><span class="key before"></span>before (prior) '
        '<span class="key after"></span>learned (posterior)</p>'
    )
    return ''.join(
        f'<figure><figcaption><h3>{kind}</h3>{legend}</figcaption>'
        f'{histogram(edges.prior[which], edges.posterior[which], kind)}'
        '</figure>'
        for kind, which in kinds.items()
        if which.any()
    )


def _table(findings: Findings, title: str, places: np.ndarray) -> str:
    edges = findings.edges
    lines = []
    for place in places:
        cells = [_row(findings, int(row)) for row in edges.index[:, place]]
        before, after = edges.prior[place], edges.posterior[place]
        for value, told in (
            (before, probability(before)),
            (after, probability(after)),
            (after - before, signed(after - before)),
        ):
            cells.append(f'<td data-value="{value:.6g}">{told}</td>')
        lines.append(f'<tr>{"".join(cells)}</tr>')
    head = ''.join(
        f'<th scope="col">{name}</th>'
        for name in ('Row', 'Row', 'Before', 'Learned', 'Change')
    )
    return (
        f'<figure class="edges"><figcaption><h3>{title}</h3></figcaption>'
        '<div class="scroll tall"><table class="sortable"><thead><tr>'
        f'{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        '</figure>'
    )


def _row(findings: Findings, row: int) -> str:
    name = findings.name(row)
    return (
        f'<td data-value="{text(name)}"><a href="#row={row}" '
        f'title="{text(name)}">{text(name)}</a>'
        f'{chip(findings, int(findings.predicted[row]))}</td>'
    )
