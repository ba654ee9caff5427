r"""How learning has moved the probabilities of links."""

from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from torch_geometric_vgcn.analysis import MovedLinks, moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.plots.axes import (
    BLUE,
    DARK,
    ORANGE,
    RED,
    axes_or_new,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_posterior_histogram(
    learner: VariationalGraphLearner,
    min_change: float = 0.02,
    ax: 'Axes | None' = None,
    x: Tensor | None = None,
) -> 'Axes':
    r"""Draws the limit posterior probabilities :math:`\sigma(\theta_{ij})` of
    the links that have moved from the prior, in two colours: those that have
    become likelier, and those that have become less likely.

    The prior of the same links is a dotted line where they all start alike,
    and an outline where they don't.

    Args:
        learner (VariationalGraphLearner): The trained learner.
        min_change (float, optional): How far a link must have moved.
            (default: :obj:`0.02`, the paper's)
        ax (matplotlib.axes.Axes, optional): Where to draw.
            (default: :obj:`None`, on a new figure)
        x (Tensor, optional): The features, for posteriors that see them.
            (default: :obj:`None`)

    Returns:
        The axes.
    """
    links = moved_links(learner, min_change, x)
    ax = _axes(ax, links, 'limit posterior probability of a link')
    ax.set_xlim(0, 1)
    if not bool(links.moved.any()):
        return ax
    count, up = links.counts(), links.change > 0
    bins = np.linspace(0, 1, 51).tolist()
    ax.hist(
        [_values(links.posterior, links.moved & mask) for mask in (~up, up)],
        bins=bins,
        stacked=True,
        color=[BLUE, ORANGE],
        label=[
            f'less likely than before: {count["moved_down"]:,}',
            f'likelier than before: {count["moved_up"]:,}',
        ],
    )
    before = _values(links.prior, links.moved)
    if np.ptp(before) < 1e-6:
        label = f'prior: {before.mean():.2g}'
        ax.axvline(before.mean(), color=DARK, linestyle=':', label=label)
    else:
        label = 'the same links, by the prior'
        ax.hist(before, bins, histtype='step', color=DARK, label=label)
    ax.legend(frameon=False, fontsize='small')
    return ax


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
    ax = _axes(ax, links, 'posterior − prior probability of a link')
    if not bool(links.moved.any()):
        ax.set_xlim(-1, 1)
        return ax
    count = links.counts()
    furthest = 1.1 * float(links.change[links.moved].abs().max())
    ax.set_xlim(-furthest, furthest)
    ax.axvline(0, color=DARK, linewidth=0.8)
    # A step of 0.02, so that the gap around zero has edges of its own:
    bins = np.linspace(-1, 1, 101).tolist()
    own = _values(links.change, links.moved & ~links.added)
    if count['added'] == 0:
        ax.hist(own, bins=bins, color=BLUE)
        return ax
    label = f"the graph's own: {own.size:,}"
    ax.hist(own, bins=bins, color=BLUE, alpha=0.6, label=label)
    added = _values(links.change, links.moved & links.added)
    label = (
        f'added: {added.size:,}\n({count["added_above_half"]:,} of all '
        f'{count["added"]:,} end at ½ or more)'
    )
    number = np.histogram(added, bins)[0]
    # An outline where there are any, not along the axis:
    outline = np.where(number > 0, number, np.nan)
    ax.stairs(outline, bins, color=RED, linewidth=1.5, label=label)
    ax.legend(frameon=False, fontsize='small')
    return ax


def _axes(ax: 'Axes | None', links: MovedLinks, xlabel: str) -> 'Axes':
    r"""The axes of a histogram, or of a sentence where it would be empty."""
    ax = axes_or_new(ax)
    tidy(ax, str(links), xlabel, 'links')
    ax.yaxis.set_major_formatter('{x:,.0f}')
    if not bool(links.moved.any()):
        ax.annotate(
            f'no link moved by more than {links.min_change:g}',
            (0.5, 0.5),
            xycoords='axes fraction',
            ha='center',
            va='center',
            color=DARK,
        )
        ax.set_yticks([])
    return ax


def _values(value: Tensor, mask: Tensor) -> np.ndarray:
    return value[mask].cpu().numpy()
