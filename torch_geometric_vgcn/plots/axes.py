r"""What the pictures share: their axes and their colours."""

from typing import TYPE_CHECKING

from torch_geometric_vgcn.utils import check_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colour-blind-safe palette of Okabe and Ito, except for a purer red: it is
# kept for added edges, and must not be taken for the orange.
ORANGE, SKY, GREEN, YELLOW = '#E69F00', '#56B4E9', '#009E73', '#F0E442'
BLUE, RED, PINK, GREY = '#0072B2', '#CC1122', '#CC79A7', '#999999'
DARK = '#333333'


def new_axes(columns: int = 1) -> list['Axes']:
    r"""The axes of a new figure, side by side."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "'torch_geometric_vgcn.plots' needs the package matplotlib: "
            'pip install matplotlib'
        ) from error
    size = (6.0, 3.6) if columns == 1 else (4.0 * columns, 4.0)
    _, axes = plt.subplots(
        1, columns, figsize=size, layout='constrained', squeeze=False
    )
    return list(axes[0])


def axes_or_new(ax: 'Axes | None', name: str = 'ax') -> 'Axes':
    r"""The given axes, or those of a new figure."""
    if ax is None:
        return new_axes()[0]
    from matplotlib.axes import Axes

    check_kind(ax, Axes, name)
    return ax


def tidy(ax: 'Axes', title: str, xlabel: str, ylabel: str) -> None:
    r"""Labels the axes, and removes the lines that show nothing."""
    ax.set_title(title, loc='left', fontsize='medium', color=DARK)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.spines[['top', 'right']].set_visible(False)
    ax.grid(axis='y', color='0.9', linewidth=0.8)
    ax.set_axisbelow(True)


def say_nothing_moved(ax: 'Axes', min_change: float) -> None:
    r"""What stands where a histogram would be empty."""
    ax.text(
        *(0.5, 0.5, f'no link moved by more than {min_change:g}'),
        ha='center',
        va='center',
        transform=ax.transAxes,
        color=DARK,
    )
    ax.set_yticks([])
