r"""How graphs are drawn from the posterior, and how gradients come back."""

from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.bernoulli import (
    Bernoulli,
    StraightThroughBernoulli,
)
from torch_geometric_vgcn.sample.concrete import BinaryConcrete
from torch_geometric_vgcn.sample.drawn import Drawn
from torch_geometric_vgcn.sample.graph_sample import GraphSample
from torch_geometric_vgcn.sample.hard_sample import (
    HardSample,
)
from torch_geometric_vgcn.sample.mean import PosteriorMean
from torch_geometric_vgcn.sample.noise import Edges, Noise
from torch_geometric_vgcn.sample.relaxed_sample import RelaxedSample

__all__ = [
    'Sampler',
    'BinaryConcrete',
    'Bernoulli',
    'StraightThroughBernoulli',
    'PosteriorMean',
    'GraphSample',
    'RelaxedSample',
    'HardSample',
    'Drawn',
    'Edges',
    'Noise',
]
