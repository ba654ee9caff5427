r"""What is maximised: a lower bound of the evidence, or a tempered one."""

from torch_geometric_vgcn.objective.bound import (
    ELBO,
    IWELBO,
    Bound,
    Objective,
    default_objective,
)
from torch_geometric_vgcn.objective.categorical import Categorical
from torch_geometric_vgcn.objective.consistency import Consistency, Term
from torch_geometric_vgcn.objective.gaussian import (
    Gaussian,
    GaussianPrediction,
)
from torch_geometric_vgcn.objective.kl import KL, BernoulliKL, LogisticKL
from torch_geometric_vgcn.objective.likelihood import Likelihood
from torch_geometric_vgcn.objective.multi_label import MultiLabel
from torch_geometric_vgcn.objective.semi_supervised import SemiSupervisedELBO

__all__ = [
    'Objective',
    'ELBO',
    'IWELBO',
    'SemiSupervisedELBO',
    'Bound',
    'default_objective',
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
