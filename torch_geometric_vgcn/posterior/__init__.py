r"""What is believed of the graph after the labels were seen."""

from torch_geometric_vgcn.posterior.amortized import AmortizedPosterior
from torch_geometric_vgcn.posterior.base import Posterior, SumPosterior
from torch_geometric_vgcn.posterior.classes import ClassPosterior
from torch_geometric_vgcn.posterior.free import FreePosterior
from torch_geometric_vgcn.posterior.low_rank import LowRankPosterior

__all__ = [
    'Posterior',
    'FreePosterior',
    'LowRankPosterior',
    'AmortizedPosterior',
    'ClassPosterior',
    'SumPosterior',
]
