"""Names of version 0.2, which still work."""

import pytest
import torch
from torch_geometric.nn import DenseGCNConv, GATConv, GCNConv

import torch_geometric_vgcn as vgcn
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
}


@pytest.mark.parametrize('name', NAMES)
def test_each_calls_a_conv_in_its_way(graph, name):
    kind, sampler = NAMES[name]
    conv, prior = kind(8, 4), SmoothedPrior(graph, 6, pairs=AllPairs(6))
    with pytest.warns(DeprecationWarning, match=f'{name}.*goes with 0.4'):
        call = getattr(vgcn, name)(conv)
    sample = sampler(prior, prior.logits, sampler.noise(prior, 2))
    expected = message_passing.ConvCall(conv, sampler)(conv, X, sample)
    assert torch.allclose(call(conv, X, sample), expected, atol=1e-5)


def test_a_way_that_a_conv_does_not_fit_is_refused():
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError):
        vgcn.message_passing.AdjacencyMatrix(GATConv(8, 4))


def test_the_choice_of_a_way():
    with pytest.warns(DeprecationWarning, match='choose_route'):
        call = message_passing.choose_route(GCNConv(8, 4), Bernoulli())
    assert str(call) == 'kept edges'


@pytest.mark.parametrize('name', ['Route', 'ProvedRoute'])
def test_what_is_gone_says_why(name):
    with pytest.raises(ImportError, match=f'{name} is no more'):
        getattr(message_passing, name)
