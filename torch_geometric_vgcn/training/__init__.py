r"""Everything that knows epochs."""

from torch_geometric_vgcn.training.fit import fit
from torch_geometric_vgcn.training.fit_batches import (
    fit_batches,
    predict_batches,
)
from torch_geometric_vgcn.training.run import Fit, evaluate

__all__ = ['Fit', 'evaluate', 'fit', 'fit_batches', 'predict_batches']
