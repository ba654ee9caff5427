r"""The page of what finds false edges."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.harness.results import mean_and_std, table

Row = dict[str, Any]
HEAD = """\
# False edges

From `python benchmarks/false_edges`. Given graphs with random false edges: a \
block model (ten equal classes, 10 % of edges between different ones) and LFR \
(power laws of degrees and communities, 15 % between different ones), each \
with 20,000 nodes, 110,000 edges of which 15 % were replaced by random pairs, \
30 weak features and labels of 5 % of the nodes; Citeseer and Cora with 5,000 \
random edges, and Pubmed with as many as it has, with their public split. The \
number of the run selects the graph, the split and the weights.

*VGCN* is the `posterior` of `VGCN(data, effort='quick').fit().edges()`. That \
of given edges depends on the member without a graph alone, so only this one \
is trained here (the seconds below are its own). *GAE* is PyG's, with two \
layers; *GCN's p·p* is how probable it is that a plain GCN's classes of both \
nodes agree.
"""
ALIKE = """\
## What can't be known

Right edges that are placed like random pairs can't be told from false ones. \
How many of them there are is assumed (see [the \
guide](../guides/doubtful_edges.md)): where the assumption is wrong, \
probabilities are. Here the made graphs have more and fewer edges between \
different classes, all of them right and placed at random; one run each. The \
share of right edges is 85 % in all of them. The two constants of the \
assumption were chosen on other seeds of these graphs, with their false edges \
in view: mixing 0.1 and 0.15 above suit it.
"""


def parts(
    rows: list[Row], cases: Sequence[str], mixing: Sequence[str]
) -> list[str]:
    r"""The parts of the page."""
    of = {case: [r for r in rows if r['case'] == case] for case in cases}
    of = {case: own for case, own in of.items() if own}
    others = [name for name in next(iter(of.values()))[0]['auc']][1:]
    text = [
        HEAD.strip(),
        '## Right against false edges',
        'ROC AUC, mean ± standard deviation over runs.',
        table(
            ['graph', 'runs', 'VGCN', *others, 'VGCN − best other'],
            [_auc_row(case, own, others) for case, own in of.items()],
        ),
        '## Probabilities',
        'The expected calibration error (ECE, 15 bins of equal width) of the '
        'probability that an edge is right; the estimated share of right '
        'edges (their `prior`) and the true one; the processor time of `fit` '
        'and `edges`, with one thread.',
        table(
            ['graph', 'ECE', 'largest ECE', 'share', 'true share', 'seconds'],
            [_ece_row(case, own) for case, own in of.items()],
        ),
        'Edges by their probability, of all runs: how many, and how many of '
        'these are right.',
        table(
            ['graph', *(f'from {n / 5:.1f}' for n in range(5))],
            [_bins_row(case, own) for case, own in of.items()],
        ),
    ]  # fmt: skip
    some = [row for name in mixing for row in rows if row['case'] == name]
    if some:
        text += [
            ALIKE.strip(),
            table(
                ['graph', 'AUC', 'ECE', 'share'],
                [
                    [
                        row['case'],
                        f'{row["auc"]["VGCN"]:.3f}',
                        f'{row["ece"]:.3f}',
                        f'{row["share"]:.3f}',
                    ]
                    for row in some
                ],
            ),
        ]
    return text


def _auc_row(case: str, rows: list[Row], others: list[str]) -> list[str]:
    mean = {
        name: np.mean([row['auc'][name] for row in rows])
        for name in ('VGCN', *others)
    }
    gap = mean['VGCN'] - max(mean[name] for name in others)
    cells = [_mean([row['auc'][name] for row in rows]) for name in mean]
    return [case, str(len(rows)), *cells, f'{gap:+.3f}'.replace('-', '−')]


def _ece_row(case: str, rows: list[Row]) -> list[str]:
    return [
        case,
        _mean([row['ece'] for row in rows]),
        f'{max(row["ece"] for row in rows):.3f}',
        _mean([row['share'] for row in rows]),
        f'{np.mean([row["right"] for row in rows]):.3f}',
        f'{np.mean([row["seconds"] for row in rows]):.0f}',
    ]


def _bins_row(case: str, rows: list[Row]) -> list[str]:
    cells = [case]
    for place in zip(*(row['bins'] for row in rows), strict=True):
        count, _, right = np.array(place).T
        total = count.sum()
        share = (count * right).sum() / max(1, total)
        cells.append(f'{total:,.0f}: {100 * share:.0f} %' if total else '–')
    return cells


def _mean(values: list[float]) -> str:
    return mean_and_std(np.array(values), digits=3)
