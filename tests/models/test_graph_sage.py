"""The fast GraphSAGE is GraphSAGE."""

import torch
from torch_geometric.nn import SAGEConv

from torch_geometric_vgcn.models import GraphSAGE


def test_it_is_two_sage_convs(graph):
    net = GraphSAGE(5, 8, 3, input_dropout=0.5).eval()
    first = SAGEConv(5, 8)
    own, other = net.hidden.weight.chunk(2)
    bias = sum(net.hidden.bias.chunk(2))
    state = {'lin_r.weight': own, 'lin_l.weight': other, 'lin_l.bias': bias}
    first.load_state_dict(state)
    x = torch.randn(6, 5)
    wanted = net.out(first(x, graph).relu(), graph)
    torch.testing.assert_close(net(x, graph), wanted)
    sparse = x.relu().to_sparse_csr()
    torch.testing.assert_close(net(sparse, graph), net(x.relu(), graph))


def test_it_learns_from_sparse_features(graph):
    net = GraphSAGE(5, 8, 3, input_dropout=0.5)
    net(torch.rand(6, 5).to_sparse_csr(), graph).sum().backward()
    assert all(p.grad.isfinite().all() for p in net.parameters())
    assert net.hidden.weight.grad.abs().sum() > 0
