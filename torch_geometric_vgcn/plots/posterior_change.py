from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from torch_geometric_vgcn.analysis.moved_links import moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.plots.axes import (
    BLUE,
    DARK,
    RED,
    axes_or_new,
    say_nothing_moved,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_posterior_change(
    learner: VariationalGraphLearner,
    added_pairs: Tensor | None = None,
    min_change: float = 0.02,
    ax: 'Axes | None' = None,
    x: Tensor | None = None,
) -> 'Axes':
    r"""Draws the differences :math:`\sigma(\theta_{ij}) - \rho^o_{ij}` of
    posterior and prior, of the links that have moved.

    Args:
        learner (VariationalGraphLearner): The trained learner.
        added_pairs (Tensor, optional): The edges that an attacker has added,
            of shape :obj:`[2, M]`, to be drawn as a red outline
            (:obj:`data.added_pairs` after
            :class:`~torch_geometric_vgcn.transforms.PoisonGraph`).
            (default: :obj:`None`)
        min_change (float, optional): How far a link must have moved.
            (default: :obj:`0.02`, the paper's)
        ax (matplotlib.axes.Axes, optional): Where to draw.
            (default: :obj:`None`, on a new figure)
        x (Tensor, optional): The features, for posteriors that see them.
            (default: :obj:`None`)

    Returns:
        The axes.
    """
    links = moved_links(learner, min_change, x, added_pairs)
    ax = axes_or_new(ax)
    count = links.counts()
    tidy(ax, str(links), 'posterior − prior probability of a link', 'links')
    if count['moved'] == 0:
        ax.set_xlim(-1, 1)
        say_nothing_moved(ax, min_change)
        return ax
    own = links.change[links.moved & ~links.added].cpu().numpy()
    added = links.change[links.moved & links.added].cpu().numpy()
    # A step of 0.02, so that the gap around zero has edges of its own:
    furthest = float(links.change[links.moved].abs().max())
    bins = [step / 50 for step in range(-50, 51)]
    ax.set_xlim(-1.1 * furthest, 1.1 * furthest)
    ax.axvline(0, color=DARK, linewidth=0.8)
    if count['added'] == 0:
        ax.hist(own, bins=bins, color=BLUE)
    else:
        label = f"the graph's own: {own.size:,}"
        ax.hist(own, bins=bins, color=BLUE, alpha=0.6, label=label)
        label = (
            f'added: {added.size:,}\n({count["added_above_half"]:,} of all '
            f'{count["added"]:,} end at ½ or more)'
        )
        number = np.histogram(added, bins)[0]
        # An outline where there are any, not along the axis:
        outline = np.where(number > 0, number, np.nan)
        ax.stairs(outline, bins, color=RED, linewidth=1.5, label=label)
        ax.legend(frameon=False, fontsize='small')
    ax.yaxis.set_major_formatter('{x:,.0f}')
    return ax
