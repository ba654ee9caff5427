r"""What was learned, in figures: nothing here draws or needs matplotlib."""

from torch_geometric_vgcn.analysis.calibration import Calibration, calibration
from torch_geometric_vgcn.analysis.communities import communities
from torch_geometric_vgcn.analysis.moved_links import MovedLinks, moved_links

__all__ = [
    'Calibration',
    'MovedLinks',
    'calibration',
    'communities',
    'moved_links',
]
