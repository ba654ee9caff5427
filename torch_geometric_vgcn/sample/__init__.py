r"""How graphs are drawn from the posterior, and how gradients come back."""

from torch_geometric_vgcn.sample.base import Sampler
from torch_geometric_vgcn.sample.bernoulli import (
    Bernoulli,
    StraightThroughBernoulli,
)
from torch_geometric_vgcn.sample.concrete import BinaryConcrete
from torch_geometric_vgcn.sample.graph_sample import Edges, GraphSample, Noise
from torch_geometric_vgcn.sample.mean import PosteriorMean

__all__ = [
    'Sampler',
    'BinaryConcrete',
    'Bernoulli',
    'StraightThroughBernoulli',
    'PosteriorMean',
    'GraphSample',
    'Edges',
    'Noise',
]
