r"""Training loops, early stopping and checkpoints."""

from torch_geometric_vgcn.training.calibrate import calibrate
from torch_geometric_vgcn.training.fit import fit
from torch_geometric_vgcn.training.fit_batches import fit_batches
from torch_geometric_vgcn.training.fit_partitioned import fit_partitioned
from torch_geometric_vgcn.training.fitted_prior import fitted_prior
from torch_geometric_vgcn.training.optimizers import optimizers
from torch_geometric_vgcn.training.predict_batches import predict_batches
from torch_geometric_vgcn.training.predict_partitioned import (
    predict_partitioned,
)
from torch_geometric_vgcn.training.process_group import process_group
from torch_geometric_vgcn.training.result import Fit, evaluate

__all__ = [
    'Fit',
    'calibrate',
    'evaluate',
    'fit',
    'fit_batches',
    'fit_partitioned',
    'fitted_prior',
    'optimizers',
    'predict_batches',
    'predict_partitioned',
    'process_group',
]
