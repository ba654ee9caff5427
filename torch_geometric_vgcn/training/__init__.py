r"""Training loops, early stopping and checkpoints."""

from typing import Any

from torch_geometric_vgcn.training.calibrate import calibrate
from torch_geometric_vgcn.training.fit import fit, fit_batches
from torch_geometric_vgcn.training.fitted_prior import fitted_prior
from torch_geometric_vgcn.training.optimizers import optimizers
from torch_geometric_vgcn.training.predict_batches import predict_batches
from torch_geometric_vgcn.training.result import Fit, evaluate
from torch_geometric_vgcn.utils.deprecated import former_names
from torch_geometric_vgcn.utils.ranks import process_group

__all__ = [
    'Fit',
    'calibrate',
    'evaluate',
    'fit',
    'fit_batches',
    'fitted_prior',
    'optimizers',
    'predict_batches',
    'process_group',
]

SCALE = 'torch_geometric_vgcn.scale'
_former = former_names(
    __name__,
    {'predict_partitioned': (SCALE, 'predict_clusters')},
    stacklevel=3,
)


def __getattr__(name: str) -> Any:
    if name == 'fit_partitioned':
        raise ImportError(
            "'fit_partitioned' is gone: use fit(learner, graph, "
            f'StoredClusters(graph)) with {SCALE}.StoredClusters'
        )
    return _former(name)
