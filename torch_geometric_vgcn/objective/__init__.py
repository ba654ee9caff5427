r"""What is maximised: a lower bound of the evidence, or a tempered one."""

from torch_geometric_vgcn.objective.base import Bound, Objective
from torch_geometric_vgcn.objective.consistency import Consistency
from torch_geometric_vgcn.objective.elbo import ELBO
from torch_geometric_vgcn.objective.iw_elbo import IWELBO
from torch_geometric_vgcn.objective.kl import KL, BernoulliKL, LogisticKL
from torch_geometric_vgcn.objective.likelihood import (
    Categorical,
    Gaussian,
    GaussianPrediction,
    Likelihood,
    MultiLabel,
)
from torch_geometric_vgcn.objective.term import Term

__all__ = [
    'Objective',
    'ELBO',
    'IWELBO',
    'Bound',
    'KL',
    'BernoulliKL',
    'LogisticKL',
    'Likelihood',
    'Categorical',
    'Gaussian',
    'GaussianPrediction',
    'MultiLabel',
    'Term',
    'Consistency',
]
