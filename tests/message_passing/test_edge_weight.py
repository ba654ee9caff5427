import pytest
import torch
from torch_geometric.nn import (
    APPNP,
    GAT,
    GCN,
    GIN,
    GATConv,
    GatedGraphConv,
    GCN2Conv,
    GCNConv,
    GraphConv,
    GraphSAGE,
    LEConv,
    SAGEConv,
    SGConv,
    SimpleConv,
    SSGConv,
)

from torch_geometric_vgcn import EdgeWeight, SmoothedPrior
from torch_geometric_vgcn.message_passing import ProvedRoute
from torch_geometric_vgcn.sample import GraphSample


class GCN2(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCN2Conv(8, alpha=0.1)

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, x, edge_index, edge_weight)


class Forgetful(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(8, 4)

    def forward(self, x, edge_index, edge_weight=None):
        return self.conv(x, edge_index)


CONVS = {
    'GCNConv': lambda: GCNConv(8, 4),
    'GCNConv(improved)': lambda: GCNConv(8, 4, improved=True),
    'GCNConv(normalize=False)': lambda: GCNConv(8, 4, normalize=False),
    'GraphConv': lambda: GraphConv(8, 4),
    'SGConv': lambda: SGConv(8, 4, K=2),
    'SSGConv': lambda: SSGConv(8, 4, alpha=0.1, K=2),
    'APPNP': lambda: APPNP(K=3, alpha=0.1),
    'APPNP(dropout)': lambda: APPNP(K=3, alpha=0.1, dropout=0.5),
    'GCN2Conv': GCN2,
    'LEConv': lambda: LEConv(8, 4),
    'SimpleConv': lambda: SimpleConv('sum'),
    'GatedGraphConv': lambda: GatedGraphConv(8, num_layers=2),
    'GCN': lambda: GCN(8, 16, 2, 4, dropout=0.5),
    'GCN(jk)': lambda: GCN(8, 16, 3, 4, jk='cat', norm='batch_norm'),
}


@pytest.mark.parametrize('name', CONVS)
def test_weight_zero_is_a_deleted_edge(graph, name):
    torch.manual_seed(0)
    conv = CONVS[name]().eval()
    prior = SmoothedPrior(graph, 6)
    weight = (torch.arange(len(prior.pairs)) % 3 > 0).float()
    sample = GraphSample(prior, prior.logits, weight[None].requires_grad_())
    x = torch.randn(6, 8)
    index = prior.pairs.index[:, weight == 1]
    kept = torch.cat([index, index.flip(0)], dim=1)
    # PyG forgets 'improved' where no weights are given.
    ones = (torch.ones(kept.size(1)),) if 'improved' in name else ()
    route = EdgeWeight(conv)
    out = route(conv, x, sample)
    assert torch.allclose(out, conv(x, kept, *ones), atol=1e-5)


@pytest.mark.parametrize('name', CONVS)
def test_gradient_reaches_every_pair(graph, name):
    torch.manual_seed(0)
    conv = CONVS[name]().eval()
    prior = SmoothedPrior(graph, 6)
    weight = torch.rand(1, len(prior.pairs)).requires_grad_()
    sample = GraphSample(prior, prior.logits, weight)
    out = EdgeWeight(conv)(conv, torch.randn(6, 8), sample)
    out.square().sum().backward()
    assert (weight.grad != 0).all()


@pytest.mark.parametrize(
    'conv, message',
    [
        (GATConv(8, 4), 'GATConv is none of the convs'),
        (SAGEConv(8, 4), 'SAGEConv is none of the convs'),
        (GAT(8, 4, 2), 'GATConv is none'),
        (GraphSAGE(8, 4, 2), 'SAGEConv is none'),
        (GIN(8, 4, 2), 'GINConv is none'),
        (GCNConv(8, 4, cached=True), 'cached=True'),
        (GraphConv(8, 4, aggr='mean'), "aggr='mean'"),
        (SimpleConv('mean'), 'SimpleConv'),
        (GCNConv(8, 4, add_self_loops=False), 'add_self_loops=False'),
        (torch.nn.Linear(8, 4), 'contains no PyG message passing layer'),
    ],
    ids=str,
)
def test_others_are_refused(conv, message):
    with pytest.raises(TypeError, match=message):
        EdgeWeight(conv)


def test_a_model_that_drops_the_weights_is_found_out(graph):
    conv = Forgetful()
    prior = SmoothedPrior(graph, 6)
    weight = torch.rand(1, len(prior.pairs)).requires_grad_()
    sample = GraphSample(prior, prior.logits, weight)
    proved = ProvedRoute(EdgeWeight(conv))
    with pytest.raises(TypeError, match='is not what it is without those'):
        proved(conv, torch.randn(6, 8), sample)
