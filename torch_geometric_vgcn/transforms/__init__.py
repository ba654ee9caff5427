r"""Graphs from features, splits and poisoning, as PyG transforms that chain
with PyG's own.
"""

from torch_geometric_vgcn.transforms.balanced_split import BalancedSplit
from torch_geometric_vgcn.transforms.corruption import (
    AddEdges,
    DropEdges,
    HideLabels,
    ShuffleFeatures,
)
from torch_geometric_vgcn.transforms.degree_perturbation import (
    DegreePerturbation,
)
from torch_geometric_vgcn.transforms.half_validation import HalfValidation
from torch_geometric_vgcn.transforms.knn_graph import KNNGraph
from torch_geometric_vgcn.transforms.poison_graph import PoisonGraph
from torch_geometric_vgcn.transforms.random_perturbation import (
    RandomPerturbation,
)
from torch_geometric_vgcn.transforms.shuffle_words import ShuffleWords
from torch_geometric_vgcn.transforms.stratified_split import StratifiedSplit
from torch_geometric_vgcn.transforms.unit_rows import UnitRows
from torch_geometric_vgcn.utils.deprecated import former_names

__all__ = [
    'KNNGraph',
    'UnitRows',
    # Splits:
    'HalfValidation',
    'BalancedSplit',
    'StratifiedSplit',
    # Poisoning that doesn't know the labels:
    'PoisonGraph',
    'DegreePerturbation',
    'RandomPerturbation',
    'ShuffleWords',
    # Former ones:
    'DropEdges',
    'AddEdges',
    'ShuffleFeatures',
    'HideLabels',
]

_ATTACKS = 'torch_geometric_vgcn.attacks'
__getattr__ = former_names(
    __name__,
    {
        name: (_ATTACKS, name)
        for name in (
            'GradientAttack',
            'TrainedGCN',
            'LearnerSurrogate',
            'SimilarityAttack',
            'NeighborhoodAttack',
        )
    },
)
