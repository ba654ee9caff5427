"""Names of version 0.2, which still work."""

import pytest
import torch
from torch_geometric.nn import DenseGCNConv, GCNConv

from torch_geometric_vgcn import (
    AllPairs,
    Bernoulli,
    BinaryConcrete,
    SmoothedPrior,
    message_passing,
)

X = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))
NAMES = {
    'AdjacencyMatrix': (GCNConv, BinaryConcrete()),
    'EdgeWeight': (GCNConv, BinaryConcrete()),
    'MessageGate': (GCNConv, BinaryConcrete()),
    'KeptEdges': (GCNConv, Bernoulli()),
    'DenseAdjacency': (DenseGCNConv, BinaryConcrete()),
    'choose_route': (GCNConv, Bernoulli()),
}


@pytest.mark.parametrize('name', NAMES)
def test_each_calls_a_conv_in_a_way_that_fits(graph, name):
    kind, sampler = NAMES[name]
    conv, prior = kind(8, 4), SmoothedPrior(graph, 6, pairs=AllPairs(6))
    with pytest.warns(DeprecationWarning, match=f'{name}.*ConvCall'):
        call = getattr(message_passing, name)(conv)
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    expected = message_passing.ConvCall(conv, sampler)(conv, X, sample)
    assert torch.allclose(call(conv, X, sample), expected, atol=1e-5)
