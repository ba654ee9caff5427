r"""The figures: test accuracies as boxes, validation accuracies as curves."""

from pathlib import Path

import matplotlib
import numpy as np
from cases import Case

from torch_geometric_vgcn.plots import plot_convergence

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

COLORS = matplotlib.colormaps['tab20'].colors


def accuracies(rows: list[dict], case: Case, system: str) -> np.ndarray:
    place = (case.dataset, case.graph, case.split, system)
    return np.array(
        [
            100 * row['test_acc']
            for row in rows
            if (row['dataset'], row['graph'], row['split'], row['system'])
            == place
        ]
    )


def box_plot(
    rows: list[dict],
    cases: tuple[Case, ...],
    systems: tuple[str, ...],
    path: Path,
) -> None:
    r"""A panel for each data set, a group of boxes for each graph, a box for
    each system, as in the paper.
    """
    datasets = list(dict.fromkeys(case.dataset for case in cases))
    groups = [[c for c in cases if c.dataset == name] for name in datasets]
    most = max(map(len, groups))
    width = len(groups) * (1.6 + 0.28 * len(systems) * most)
    figure, panels = plt.subplots(
        1,
        len(groups),
        figsize=(min(16.0, max(4.0, width)), 3.6),
        layout='constrained',
        squeeze=False,
    )
    color = dict(zip(systems, COLORS, strict=False))
    for ax, group in zip(panels[0], groups, strict=True):
        _panel(ax, rows, group, color)
    panels[0][0].set_ylabel('test accuracy, %')
    if most > 1:
        handles = [Patch(facecolor=color[name]) for name in systems]
        style = {'loc': 'outside lower center', 'ncols': 6, 'frameon': False}
        figure.legend(handles, systems, **style)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _panel(
    ax: Axes, rows: list[dict], group: list[Case], color: dict[str, tuple]
) -> None:
    boxes = {
        name: [accuracies(rows, case, name) for case in group]
        for name in color
    }
    boxes = {n: accs for n, accs in boxes.items() if any(map(len, accs))}
    step = len(boxes) + 1.5
    for place, (name, accs) in enumerate(boxes.items()):
        drawn = ax.boxplot(
            accs,
            positions=[i * step + place for i in range(len(group))],
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
    if len(group) == 1:
        ax.set_title(str(group[0]))
        slanted = {'rotation': 40, 'ha': 'right', 'rotation_mode': 'anchor'}
        ax.set_xticks(range(len(boxes)), list(boxes), **slanted)
    else:
        ax.set_title(group[0].dataset)
        middle = (len(boxes) - 1) / 2
        names = [str(case).split(', ')[1] for case in group]
        ax.set_xticks([i * step + middle for i in range(len(group))], names)
    ax.grid(axis='y', alpha=0.3)
    ax.set_axisbelow(True)
    ax.spines[['top', 'right']].set_visible(False)


def convergence_plot(
    rows: list[dict], systems: tuple[str, ...], path: Path
) -> None:
    r"""The validation accuracy of each epoch, mean over the runs of the first
    case.
    """
    first = (rows[0]['dataset'], rows[0]['graph'])
    curves = {}
    for name in systems:
        runs = [
            row['history']
            for row in rows
            if row['system'] == name
            and (row['dataset'], row['graph']) == first
        ]
        length = min(map(len, runs))
        curves[name] = np.mean([r[:length] for r in runs], axis=0).tolist()
    ax = plot_convergence(curves)
    ax.set_title(str(Case(*first)))
    ax.figure.savefig(path, dpi=110)
    plt.close(ax.figure)
