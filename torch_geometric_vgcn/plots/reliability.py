from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from torch_geometric_vgcn.analysis.calibration import calibration
from torch_geometric_vgcn.plots.axes import BLUE, DARK, SKY, axes_or_new, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_reliability(
    prob: Tensor,
    y: Tensor,
    mask: Tensor,
    bins: int = 10,
    ax: 'Axes | None' = None,
) -> 'Axes':
    r"""Draws a reliability diagram: the accuracy of predictions by their
    confidence, the gap between both, and the number of predictions in each
    bin. The bars of a calibrated model end at the diagonal.

    Args:
        prob (Tensor): The class probabilities, of shape :obj:`[N, C]`.
        y (Tensor): The classes, of shape :obj:`[N]`.
        mask (Tensor): Which nodes to look at, as a mask or as indices.
        bins (int, optional): The number of bins. (default: :obj:`10`)
        ax (matplotlib.axes.Axes, optional): Where to draw.
            (default: :obj:`None`, on a new figure)

    Returns:
        The axes.
    """
    found = calibration(prob, y, mask, bins)
    used = found.bins()
    low, high, count, confidence, accuracy = np.transpose(
        [each[:5] for each in used]
    )
    center, width = (low + high) / 2, 0.9 * (high - low)
    ax = axes_or_new(ax)
    title = f'ECE {found.error:.3f} on {int(count.sum()):,} nodes'
    tidy(ax, title, 'confidence', 'accuracy')
    ax.bar(center, accuracy, width, color=SKY, label='accuracy')
    ax.bar(
        center,
        confidence - accuracy,
        width,
        bottom=accuracy,
        facecolor='none',
        edgecolor=BLUE,
        hatch='///',
        label='gap to mean confidence',
    )
    ax.plot([0, 1], [0, 1], color=DARK, linewidth=0.8, linestyle='--')
    for middle, each in zip(center, used, strict=True):
        ax.annotate(
            f'{each.number:,}',
            (middle, max(each.accuracy, each.confidence)),
            (0, 3),
            textcoords='offset points',
            ha='center',
            va='bottom',
            fontsize='small',
            bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 0.5},
            color=DARK,
        )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.08)  # space for the count above a bar of 1
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.legend(frameon=False, fontsize='small', loc='upper left')
    return ax
