r"""What was learned, as pictures and as the figures behind them.

The pictures need matplotlib (:obj:`pip install torch_geometric_vgcn[plots]`),
the figures don't.
"""

from torch_geometric_vgcn.plots.calibration import Calibration, calibration
from torch_geometric_vgcn.plots.communities import communities
from torch_geometric_vgcn.plots.community import plot_community
from torch_geometric_vgcn.plots.convergence import plot_convergence
from torch_geometric_vgcn.plots.moved_links import MovedLinks, moved_links
from torch_geometric_vgcn.plots.posterior_change import plot_posterior_change
from torch_geometric_vgcn.plots.posterior_histogram import (
    plot_posterior_histogram,
)
from torch_geometric_vgcn.plots.reliability import plot_reliability

__all__ = [
    'plot_posterior_histogram',
    'plot_posterior_change',
    'plot_community',
    'plot_convergence',
    'plot_reliability',
    # The figures behind them:
    'MovedLinks',
    'moved_links',
    'communities',
    'Calibration',
    'calibration',
]
