r"""How graphs are drawn from the posterior, and how gradients come back."""

from torch_geometric_vgcn.sample.base import PosteriorMean, Sampler
from torch_geometric_vgcn.sample.bernoulli import (
    Bernoulli,
    StraightThroughBernoulli,
)
from torch_geometric_vgcn.sample.concrete import BinaryConcrete
from torch_geometric_vgcn.sample.graph_sample import (
    BackgroundEdges,
    Drawn,
    GraphSample,
    Noise,
)
from torch_geometric_vgcn.utils.deprecated import former_names

__all__ = [
    'Sampler',
    'BinaryConcrete',
    'Bernoulli',
    'StraightThroughBernoulli',
    'PosteriorMean',
    'GraphSample',
    'BackgroundEdges',
    'Noise',
    'Drawn',
]

__getattr__ = former_names(
    __name__,
    {
        'Edges': (__name__, 'BackgroundEdges'),
        'RelaxedSample': (__name__, 'GraphSample'),
        'HardSample': (__name__, 'GraphSample'),
    },
)
