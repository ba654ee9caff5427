import torch
from hypothesis import given
from hypothesis import strategies as st
from systems.sage import SAGE, MeanConv, sample_neighbors
from torch.autograd import gradcheck
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import degree


def test_finds_communities_from_a_few_labels(communities):
    outcome = SAGE().train(communities, seed=0, **SAGE.quick, epochs=50)
    assert outcome.prob.shape == (60, 2)
    assert (outcome.prob.argmax(-1) == communities.truth).float().mean() > 0.8
    assert outcome.history[outcome.epoch] == outcome.val_acc


@given(st.integers(1, 12), st.integers(0, 150), st.integers(1, 10))
def test_each_node_keeps_k_distinct_neighbors_or_all(n, num_edges, k):
    edge = torch.randint(n, (2, num_edges)).unique(dim=1)
    nodes = torch.randint(n, (n,))  # some twice, some not at all
    kept = sample_neighbors(edge, nodes, k, n)
    assert kept.unique(dim=1).size(1) == kept.size(1)
    code = edge[0] * n + edge[1]
    assert torch.isin(kept[0] * n + kept[1], code).all()
    asked = torch.isin(torch.arange(n), nodes)
    count = degree(edge[1], n).clamp(max=k) * asked
    assert torch.equal(degree(kept[1], n), count)


def test_all_neighbors_are_drawn_equally_often():
    # Node 0 has five neighbours, two of which are drawn:
    edge = torch.tensor([[1, 2, 3, 4, 5], [0, 0, 0, 0, 0]])
    nodes = torch.tensor([0])
    draws = [sample_neighbors(edge, nodes, 2, 6)[0] for _ in range(2000)]
    drawn = torch.cat(draws)
    share = torch.bincount(drawn, minlength=6)[1:] / 2000
    assert (
        share - 0.4
    ).abs().max() < 0.05  # more than four standard deviations


def test_the_mean_after_the_linear_map_equals_sage_conv(graph):
    conv, same = MeanConv(4, 3), SAGEConv(4, 3)
    own, other = conv.lin.weight.data.chunk(2)
    same.lin_r.weight.data, same.lin_l.weight.data = own, other
    same.lin_l.bias.data = conv.bias.data.normal_()
    x, edge = torch.randn(7, 4), graph  # the last node is isolated
    torch.testing.assert_close(conv(x, edge), same(x, edge))
    torch.testing.assert_close(conv(x.to_sparse_csr(), edge), same(x, edge))


def test_gradients(graph):
    conv = MeanConv(4, 3).double()
    x = torch.randn(6, 4, dtype=torch.double, requires_grad=True)
    weight = conv.lin.weight

    def output(x, weight, bias):
        state = {'lin.weight': weight, 'bias': bias}
        return torch.func.functional_call(conv, state, (x, graph))

    assert gradcheck(output, (x, weight, conv.bias))
