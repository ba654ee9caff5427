r"""What labels are, given a network's outputs: classes, real numbers, or
several labels per node.
"""

from torch_geometric_vgcn.objective.likelihood.base import Likelihood
from torch_geometric_vgcn.objective.likelihood.categorical import Categorical
from torch_geometric_vgcn.objective.likelihood.gaussian import Gaussian
from torch_geometric_vgcn.objective.likelihood.gaussian_prediction import (
    GaussianPrediction,
)
from torch_geometric_vgcn.objective.likelihood.multi_label import MultiLabel

__all__ = [
    'Likelihood',
    'Categorical',
    'Gaussian',
    'GaussianPrediction',
    'MultiLabel',
]
