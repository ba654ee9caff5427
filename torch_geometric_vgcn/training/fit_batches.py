import warnings
from typing import Any

from torch_geometric_vgcn.training.fit import fit
from torch_geometric_vgcn.training.result import Fit


def fit_batches(
    learner: Any,
    data: Any,
    loader: Any,
    *,
    epochs: int = 200,
    patience: int = 50,
    checkpoint_every: int = 5,
    **options: Any,
) -> Fit:
    r"""Deprecated: :func:`fit` with a :obj:`loader`, and other defaults of
    :obj:`epochs`, :obj:`patience` and :obj:`checkpoint_every`.
    """
    warnings.warn(
        "'fit_batches' is now fit(learner, data, loader), where 'epochs' is "
        "500, 'patience' 100 and 'checkpoint_every' 25 by default; it goes "
        'with 0.4',
        DeprecationWarning,
        stacklevel=2,
    )
    return fit(
        learner,
        data,
        loader,
        epochs=epochs,
        patience=patience,
        checkpoint_every=checkpoint_every,
        **options,
    )
