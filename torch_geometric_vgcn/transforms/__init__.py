r"""Graphs from features, splits, poisoning and corruption, as PyG transforms
that chain with PyG's own.
"""

from torch_geometric_vgcn.transforms.add_edges import AddEdges
from torch_geometric_vgcn.transforms.balanced_split import BalancedSplit
from torch_geometric_vgcn.transforms.degree_perturbation import (
    DegreePerturbation,
)
from torch_geometric_vgcn.transforms.drop_edges import DropEdges
from torch_geometric_vgcn.transforms.gradient_attack import GradientAttack
from torch_geometric_vgcn.transforms.half_validation import HalfValidation
from torch_geometric_vgcn.transforms.hide_labels import HideLabels
from torch_geometric_vgcn.transforms.knn_graph import KNNGraph
from torch_geometric_vgcn.transforms.learner_surrogate import LearnerSurrogate
from torch_geometric_vgcn.transforms.neighborhood_attack import (
    NeighborhoodAttack,
)
from torch_geometric_vgcn.transforms.poison_graph import PoisonGraph
from torch_geometric_vgcn.transforms.random_perturbation import (
    RandomPerturbation,
)
from torch_geometric_vgcn.transforms.shuffle_features import ShuffleFeatures
from torch_geometric_vgcn.transforms.shuffle_words import ShuffleWords
from torch_geometric_vgcn.transforms.similarity_attack import SimilarityAttack
from torch_geometric_vgcn.transforms.stratified_split import StratifiedSplit
from torch_geometric_vgcn.transforms.trained_gcn import TrainedGCN
from torch_geometric_vgcn.transforms.unit_rows import UnitRows

__all__ = [
    'KNNGraph',
    'UnitRows',
    # Splits:
    'HalfValidation',
    'BalancedSplit',
    'StratifiedSplit',
    # Attacks that know the labels, and what they attack:
    'GradientAttack',
    'TrainedGCN',
    'LearnerSurrogate',
    'SimilarityAttack',
    'NeighborhoodAttack',
    # Poisoning that doesn't know the labels:
    'PoisonGraph',
    'DegreePerturbation',
    'RandomPerturbation',
    # Corruption:
    'DropEdges',
    'AddEdges',
    'ShuffleFeatures',
    'ShuffleWords',
    'HideLabels',
]
