r"""Attacks that know the labels, as transforms: what a defence is measured
by.
"""

from torch_geometric_vgcn.attacks.class_attack import (
    NeighborhoodAttack,
    SimilarityAttack,
)
from torch_geometric_vgcn.attacks.gradient_attack import GradientAttack
from torch_geometric_vgcn.attacks.learner_surrogate import LearnerSurrogate
from torch_geometric_vgcn.attacks.trained_gcn import TrainedGCN

__all__ = [
    'GradientAttack',
    'TrainedGCN',
    'LearnerSurrogate',
    'SimilarityAttack',
    'NeighborhoodAttack',
]
