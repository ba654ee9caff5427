r"""Tables with some labels missing: estimators for scikit-learn
(:obj:`pip install 'torch_geometric_vgcn[data]'`).
"""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        'torch_geometric_vgcn.estimators needs scikit-learn: '
        "pip install 'torch_geometric_vgcn[data]'"
    ) from error

from torch_geometric_vgcn.estimators.classifier import VGCNClassifier
from torch_geometric_vgcn.estimators.labelled_k_fold import (
    LabelledKFold,
    transductive_scores,
)
from torch_geometric_vgcn.estimators.node_classifier import (
    VGCNNodeClassifier,
)
from torch_geometric_vgcn.estimators.regressor import VGCNRegressor

__all__ = [
    'LabelledKFold',
    'VGCNClassifier',
    'VGCNNodeClassifier',
    'VGCNRegressor',
    'transductive_scores',
]
