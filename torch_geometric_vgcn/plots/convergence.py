import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from torch_geometric_vgcn.plots.axes import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    RED,
    SKY,
    axes_or_new,
    tidy,
)
from torch_geometric_vgcn.training import Fit
from torch_geometric_vgcn.utils import check_kind, check_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = (BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY)


def plot_convergence(
    histories: Mapping[str, Fit | Sequence[float]],
    ax: 'Axes | None' = None,
) -> 'Axes':
    r"""Draws accuracy against epochs, a line for each run.

    Args:
        histories (Dict[str, Fit or List[float]]): The runs by name: what
            :func:`fit` returned, of which the validation accuracy is drawn
            and the best epoch marked, or one accuracy per epoch.
        ax (matplotlib.axes.Axes, optional): Where to draw.
            (default: :obj:`None`, on a new figure)

    Returns:
        The axes.
    """
    check_kind(histories, Mapping, 'histories')
    if not histories:
        raise ValueError("'histories' must hold at least one run, got none")
    curves = {name: accuracies(name, run) for name, run in histories.items()}
    ax = axes_or_new(ax)
    fits = [isinstance(run, Fit) for run in histories.values()]
    when = 'epoch (dot: the best one)' if any(fits) else 'epoch'
    tidy(ax, '', when, 'validation accuracy' if all(fits) else 'accuracy')
    for place, (name, curve) in enumerate(curves.items()):
        color, run = COLORS[place % len(COLORS)], histories[name]
        epochs = range(1, len(curve) + 1)
        line = '-' if place < len(COLORS) else '--'
        # A label that begins with an underscore would not be shown:
        label = f' {name}' if name.startswith('_') else name
        ax.plot(epochs, curve, line, color=color, linewidth=1.2, label=label)
        if isinstance(run, Fit):
            best = run.best_epoch
            ax.plot(
                *([best + 1], [curve[best]], 'o'),
                color=color,
                markersize=7,
                markeredgecolor='white',
                zorder=3,
            )
    ax.set_xlim(left=0)
    ax.yaxis.set_major_formatter(lambda value, _: f'{100 * value:.0f} %')
    legend = ax.legend(frameon=False, fontsize='small', loc='lower right')
    for text in legend.get_texts():
        text.set_parse_math(False)  # of names with dollar signs
    return ax


def accuracies(name: str, run: Fit | Sequence[float]) -> list[float]:
    r"""One accuracy per epoch."""
    check_kind(name, str, "names of 'histories'")
    given = f'histories[{name!r}]'
    best = 0
    if isinstance(run, Fit):
        if run.score != 'acc':
            raise ValueError(
                "'histories' must hold accuracies, got the score "
                f"'{run.score}' of {name!r}, whose labels aren't classes"
            )
        best = run.best_epoch
        run = [row.get('val_acc', math.nan) for row in run.history]
    if isinstance(run, (Tensor, np.ndarray)):
        run = run.tolist()
    check_kind(run, Sequence, given)
    curve = [check_number(value, given) for value in run]
    if best >= len(curve):
        raise ValueError(
            "'histories' must hold at least one epoch per run, the best one "
            f'among them, got {len(curve)} of {name!r} (best: {best})'
        )
    if not all(0 <= value <= 1 for value in curve):
        raise ValueError(
            f"'histories' must hold accuracies between 0 and 1, got values "
            f'from {min(curve):g} to {max(curve):g} in {name!r}'
        )
    return curve
