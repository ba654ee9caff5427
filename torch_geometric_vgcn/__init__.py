r"""Learning the graph itself, for PyTorch Geometric.

The names come in the order of the model: pairs, prior, posterior, sample,
objective. The rooms have further ones; what trains, and :class:`VGCN`, is
loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from torch_geometric_vgcn.fixed_graph import FixedGraph
from torch_geometric_vgcn.learner import VariationalGraphLearner
from torch_geometric_vgcn.objective import (
    ELBO,
    Gaussian,
    LogisticKL,
    MultiLabel,
    SemiSupervisedELBO,
)
from torch_geometric_vgcn.pairs import AllPairs, ClusterPairs
from torch_geometric_vgcn.posterior import (
    AmortizedPosterior,
    ClassPosterior,
    FreePosterior,
    LowRankPosterior,
)
from torch_geometric_vgcn.prior import EvidencePrior, SmoothedPrior
from torch_geometric_vgcn.sample import Bernoulli, BinaryConcrete
from torch_geometric_vgcn.shared_graph import SharedGraph
from torch_geometric_vgcn.utils.deprecated import former_names

if TYPE_CHECKING:
    from torch_geometric_vgcn.recipe import VGCN
    from torch_geometric_vgcn.training import (
        calibrate,
        evaluate,
        fit,
        fit_batches,
        fitted_prior,
        predict_batches,
    )

__all__ = [
    'VGCN',
    'VariationalGraphLearner',
    'FixedGraph',
    'SharedGraph',
    'fit',
    'fit_batches',
    'fitted_prior',
    'calibrate',
    'evaluate',
    'predict_batches',
    'AllPairs',
    'ClusterPairs',
    'SmoothedPrior',
    'EvidencePrior',
    'FreePosterior',
    'LowRankPosterior',
    'AmortizedPosterior',
    'ClassPosterior',
    'BinaryConcrete',
    'Bernoulli',
    'ELBO',
    'SemiSupervisedELBO',
    'LogisticKL',
    'Gaussian',
    'MultiLabel',
]

__version__ = '0.2.0'

_LOADED_LATER = {
    'recipe': ('VGCN',),
    'training': (
        'calibrate',
        'evaluate',
        'fit',
        'fit_batches',
        'fitted_prior',
        'predict_batches',
    ),
}
_ROOMS = (
    'analysis',
    'attacks',
    'datasets',
    'estimators',
    'loader',
    'models',
    'nearest',
    'partition',
    'recipe',
    'scale',
    'training',
    'transforms',
)
_FORMER = {
    'pairs': ('Candidates',),
    'prior': ('ConstantPrior', 'FittedPrior'),
    'sample': ('PosteriorMean', 'StraightThroughBernoulli'),
    'message_passing': (
        'AdjacencyMatrix',
        'DenseAdjacency',
        'EdgeWeight',
        'KeptEdges',
        'MessageGate',
        'SparseDropout',
    ),
    'objective': (
        'IWELBO',
        'BernoulliKL',
        'Categorical',
        'Consistency',
        'GaussianPrediction',
    ),
    'training': ('Fit',),
}
_former = former_names(
    __name__,
    {
        name: (f'{__name__}.{room}', name)
        for room, names in _FORMER.items()
        for name in names
    },
    stacklevel=3,
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f'{__name__}.{name}')
    for room, names in _LOADED_LATER.items():
        if name in names:
            return getattr(import_module(f'{__name__}.{room}'), name)
    return _former(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
