r"""What was learned, in figures: nothing here draws or needs matplotlib."""

from torch_geometric_vgcn.analysis.calibration import Calibration, calibration
from torch_geometric_vgcn.analysis.communities import communities
from torch_geometric_vgcn.analysis.moved_links import MovedLinks, moved_links
from torch_geometric_vgcn.analysis.right_edges import right_edges
from torch_geometric_vgcn.analysis.temperature import best_temperature

__all__ = [
    'Calibration',
    'MovedLinks',
    'best_temperature',
    'calibration',
    'communities',
    'moved_links',
    'right_edges',
]
