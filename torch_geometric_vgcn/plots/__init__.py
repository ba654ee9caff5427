r"""What was learned, as pictures. They need matplotlib
(:obj:`pip install torch_geometric_vgcn[plots]`).
"""

from torch_geometric_vgcn.plots.community import plot_community
from torch_geometric_vgcn.plots.convergence import plot_convergence
from torch_geometric_vgcn.plots.posterior import (
    plot_posterior_change,
    plot_posterior_histogram,
)
from torch_geometric_vgcn.plots.reliability import plot_reliability

__all__ = [
    'plot_posterior_histogram',
    'plot_posterior_change',
    'plot_community',
    'plot_convergence',
    'plot_reliability',
]
