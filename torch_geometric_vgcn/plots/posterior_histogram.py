from typing import TYPE_CHECKING

from torch import Tensor

from torch_geometric_vgcn.analysis.moved_links import moved_links
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.plots.axes import (
    BLUE,
    DARK,
    ORANGE,
    axes_or_new,
    say_nothing_moved,
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
    ax = axes_or_new(ax)
    count = links.counts()
    tidy(ax, str(links), 'limit posterior probability of a link', 'links')
    ax.set_xlim(0, 1)
    if count['moved'] == 0:
        say_nothing_moved(ax, min_change)
        return ax
    up = links.change > 0
    bins = [step / 50 for step in range(51)]
    ax.hist(
        [
            links.posterior[links.moved & mask].cpu().numpy()
            for mask in (~up, up)
        ],
        bins=bins,
        stacked=True,
        color=[BLUE, ORANGE],
        label=[
            f'less likely than before: {count["moved_down"]:,}',
            f'likelier than before: {count["moved_up"]:,}',
        ],
    )
    ax.yaxis.set_major_formatter('{x:,.0f}')
    before = links.prior[links.moved].cpu().numpy()
    if before.max() - before.min() < 1e-6:
        label = f'prior: {before.mean():.2g}'
        ax.axvline(before.mean(), color=DARK, linestyle=':', label=label)
    else:
        label = 'the same links, by the prior'
        ax.hist(before, bins, histtype='step', color=DARK, label=label)
    ax.legend(frameon=False, fontsize='small')
    return ax
