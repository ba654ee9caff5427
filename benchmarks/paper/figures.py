r"""The figures: test accuracies as boxes, validation accuracies as curves."""

from pathlib import Path

import matplotlib
import numpy as np
from cases import Case
from page import Page

from torch_geometric_vgcn.plots import plot_convergence

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

COLORS = matplotlib.colormaps['tab20'].colors


def box_plot(page: Page, path: Path) -> None:
    r"""A panel for each data set, a group of boxes for each graph, a box for
    each system, as in the paper. Wide panels are stacked vertically.
    """
    groups, count = page.by_dataset, len(page.systems)
    most = max(map(len, groups))
    width = max(4.0, 1.6 + 0.28 * count * most)
    shape = (1, len(groups))
    if width * len(groups) > 16:
        shape, width = shape[::-1], min(width, 16.0)
    figure, panels = plt.subplots(
        *shape,
        figsize=(shape[1] * width, shape[0] * 3.6),
        layout='constrained',
        squeeze=False,
    )
    color = dict(zip(page.systems, COLORS, strict=False))
    for ax, group in zip(panels.flat, groups, strict=True):
        _panel(ax, page, group, color)
    for ax in panels[:, 0]:
        ax.set_ylabel('test accuracy, %')
    if most > 1:
        handles = [Patch(facecolor=color[name]) for name in page.systems]
        style = {'loc': 'outside lower center', 'ncols': 6, 'frameon': False}
        figure.legend(handles, page.systems, **style)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _panel(
    ax: Axes, page: Page, group: list[Case], color: dict[str, tuple]
) -> None:
    boxes = {
        name: [page.accuracies(case, name) for case in group] for name in color
    }
    boxes = {n: accs for n, accs in boxes.items() if any(map(len, accs))}
    step = len(boxes) + 1.5
    for place, (name, accs) in enumerate(boxes.items()):
        positions = [i * step + place for i in range(len(group))]
        drawn = ax.boxplot(
            [acc if acc.size > 1 else [] for acc in accs],
            positions=positions,
            widths=0.7,
            patch_artist=True,
            medianprops={'color': 'black'},
            flierprops={'markersize': 3},
            manage_ticks=False,
        )
        ours = name.startswith('VGCN')
        for box in drawn['boxes']:
            box.set_facecolor(color[name])
            box.set_alpha(1.0 if ours else 0.65)
            box.set_linewidth(1.6 if ours else 0.7)
        for x, acc in zip(positions, accs, strict=True):
            if acc.size == 1:  # no box
                style = {'markersize': 9 if ours else 6, 'mec': 'black'}
                ax.plot(x, acc, 'o', color=color[name], **style)
    if len(group) == 1:
        ax.set_title(str(group[0]))
        slanted = {'rotation': 40, 'ha': 'right', 'rotation_mode': 'anchor'}
        ax.set_xticks(range(len(boxes)), list(boxes), **slanted)
    else:
        ax.set_title(group[0].dataset)
        middle = (len(boxes) - 1) / 2
        names = [case.change for case in group]
        ax.set_xticks([i * step + middle for i in range(len(group))], names)
    ax.margins(x=0.02)
    ax.grid(axis='y', alpha=0.3)
    ax.set_axisbelow(True)
    ax.spines[['top', 'right']].set_visible(False)


def convergence_plot(
    curves: dict[str, list[list[float]]], title: str, path: Path
) -> None:
    r"""The validation accuracy of each epoch, mean over the runs."""
    mean = {}
    for name, runs in curves.items():
        length = min(map(len, runs))
        mean[name] = np.mean([run[:length] for run in runs], axis=0).tolist()
    ax = plot_convergence(mean)
    ax.set_title(title)
    ax.figure.savefig(path, dpi=110)
    plt.close(ax.figure)


def choice_plot(share: dict[float, float], name: str, path: Path) -> None:
    r"""How often each value of a setting was chosen."""
    figure, ax = plt.subplots(figsize=(4.0, 3.0), layout='constrained')
    bars = ax.bar([f'{value:g}' for value in share], list(share.values()))
    ax.bar_label(bars, [f'{part:.0%}' for part in share.values()])
    ax.set_xlabel(name)
    ax.set_ylabel('share of choices')
    ax.margins(y=0.12)
    ax.spines[['top', 'right']].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
