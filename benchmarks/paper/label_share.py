r"""The part of a page that shows what learning gains by share of labels."""

from pathlib import Path

import matplotlib
from cases import Case
from difference import Difference
from markdown_table import table
from page import Page

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402

#: For each prior, the system that learns and the one that doesn't.
PRIORS = {
    'evidence': ('Recipe: learned', 'Recipe: frozen'),
    'smoothed': ('Recipe: learned, smoothed', 'Recipe: frozen, smoothed'),
}
Panel = dict[str, dict[float, Difference]]  # by prior and share


def curve(page: Page) -> str:
    r"""Learned minus frozen accuracy against the share of labels."""
    panels = _panels(page)
    _plot(panels, page.folder / f'{page.name}.png')
    shares = sorted({case.share for case in page.cases if case.share})
    lines = [
        [title, prior]
        + [
            points[share].text(2) if share in points else ''
            for share in shares
        ]
        for title, panel in panels.items()
        for prior, points in panel.items()
    ]
    head = ['data', 'prior', *(f'{100 * share:g} %' for share in shares)]
    return (
        f'![Gain by share of labels]({page.name}.png)\n\n'
        'Accuracy in %, learned minus frozen, by the share of training '
        'nodes: the mean over the runs with its 95 % t-interval (the band), '
        f'in bold if that excludes 0.\n\n{table(head, lines)}'
    )


def _panels(page: Page) -> dict[str, Panel]:
    out: dict[str, Panel] = {}
    for case in page.cases:
        if case.share is None:
            continue
        panel = out.setdefault(str(Case(case.dataset, case.graph)), {})
        for prior, systems in PRIORS.items():
            ours, theirs = (
                page.scores(case, system, 'test_acc', 100)
                for system in systems
            )
            difference = Difference.of(ours, theirs)
            if difference is not None:
                panel.setdefault(prior, {})[case.share] = difference
    return out


def _plot(panels: dict[str, Panel], path: Path) -> None:
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(4.4 * columns, 3.2 * rows),
        layout='constrained',
        squeeze=False,
    )
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    for ax, (title, panel) in zip(axes.flat, panels.items(), strict=False):
        for number, (prior, points) in enumerate(panel.items()):
            shares = sorted(points)
            each = [points[share] for share in shares]
            color = f'C{number}'
            ax.plot(
                shares, [d.mean for d in each], 'o-', color=color, label=prior
            )
            if all(d.runs > 1 for d in each):
                low, high = [d.low for d in each], [d.high for d in each]
                ax.fill_between(
                    shares, low, high, color=color, alpha=0.2, linewidth=0
                )
        ticks = sorted(
            {share for points in panel.values() for share in points}
        )
        ax.set_xscale('log')
        ax.set_xticks(ticks, [f'{100 * tick:g}' for tick in ticks])
        ax.minorticks_off()
        ax.axhline(0, color='black', linewidth=0.8)
        ax.set_title(title)
        ax.grid(axis='y', alpha=0.3)
        ax.spines[['top', 'right']].set_visible(False)
    handles, names = axes.flat[0].get_legend_handles_labels()
    style = {'loc': 'outside upper center', 'ncols': 2, 'frameon': False}
    figure.legend(handles, [f'{name} prior' for name in names], **style)
    figure.supxlabel('share of training nodes, %', fontsize='medium')
    figure.supylabel('accuracy, learned − frozen, %', fontsize='medium')
    figure.savefig(path, dpi=110)
    plt.close(figure)
