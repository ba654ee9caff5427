r"""What the pictures share: their axes and their colours."""

from typing import TYPE_CHECKING, Any

import numpy as np

from torch_geometric_vgcn.utils import check_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colour-blind-safe palette of Okabe and Ito, except for a purer red: it is
# kept for added edges, and must not be taken for the orange.
ORANGE, SKY, GREEN, YELLOW = '#E69F00', '#56B4E9', '#009E73', '#F0E442'
BLUE, RED, PINK, GREY = '#0072B2', '#CC1122', '#CC79A7', '#999999'
DARK = '#333333'


def axes_or_new(ax: 'Axes | None') -> 'Axes':
    r"""The given axes, or those of a new figure."""
    return several_axes(None if ax is None else [ax], 1, 'ax')[0]


def several_axes(axes: Any, columns: int, name: str) -> list['Axes']:
    r"""The given axes, or those of a new figure, side by side."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            "'torch_geometric_vgcn.plots' needs the package matplotlib: "
            'pip install matplotlib'
        ) from error
    if axes is None:
        size = (6.0, 3.6) if columns == 1 else (4.0 * columns, 4.0)
        figure = plt.figure(figsize=size, layout='constrained')
        return [figure.add_subplot(1, columns, k + 1) for k in range(columns)]
    check_kind(axes, (list, tuple, np.ndarray), name)
    if len(axes) != columns:
        raise ValueError(
            f"'{name}' must be {columns} axes of matplotlib, got {len(axes)}"
        )
    for ax in axes:
        check_kind(ax, Axes, name)
    return list(axes)


def tidy(ax: 'Axes', title: str, xlabel: str, ylabel: str) -> None:
    r"""Labels the axes, and removes the lines that show nothing."""
    ax.set_title(title, loc='left', fontsize='medium', color=DARK)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[['top', 'right']].set_visible(False)
    ax.grid(axis='y', color='0.9', linewidth=0.8)
    ax.set_axisbelow(True)
